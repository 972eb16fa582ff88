import HalcyonImaging

/// The size at which an image is decoded for a display.
struct ViewTarget {
  /// More pixels than any screen has, and few enough to count with.
  private static let sideLimit = 1e6

  /// Device pixels; `nil` while the display has no size.
  @MainActor static func pixelSize(of display: any ImageDisplay, factor: Double) -> PixelSize? {
    let scale = display.displayScale * factor
    guard let width = side(display.displaySize.width, scale), let height = side(display.displaySize.height, scale)
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  private static func side(_ points: Double, _ scale: Double) -> Int? {
    let pixels = points * scale
    guard pixels > 0, pixels.isFinite, points > 0 else { return nil }
    // 33.3 points at 3 pixels each are 99.9 pixels and some rounding: that is 100, and 100.0001 is no more.
    return max(1, Int(min(sideLimit, (pixels - 1e-3).rounded(.up))))
  }

  static func targetSize(_ size: PixelSize, mode: ImageDisplayMode) -> TargetSize {
    switch mode {
    case .fit: .fit(width: size.width, height: size.height)
    case .fill: .fill(width: size.width, height: size.height)
    case .stretch: .exact(width: size.width, height: size.height)
    }
  }
}
