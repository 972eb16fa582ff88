import HalcyonImaging
import HalcyonPipeline

/// A request at the size of a display.
struct SizedRequest {
  var request: ImageRequest
  /// In device pixels; `nil` if the size does not depend on the display.
  var pixelSize: PixelSize?

  /// Whether the display has more pixels in width or height than it had for `other`.
  func isLarger(than other: SizedRequest) -> Bool {
    guard let pixelSize, let otherSize = other.pixelSize else { return false }
    return pixelSize.exceeds(otherSize)
  }

  /// Whether an image has more than twice as many pixels as the display.
  func needsLess(than image: DecodedImage) -> Bool {
    pixelSize.map { image.size.pixelCount > 2 * $0.pixelCount } ?? false
  }
}

extension DecodedImage {
  /// Whether decoding the original file at a larger size may give more detail.
  var isDownsampled: Bool { info.format == .svg || info.pixelSize.exceeds(size) || facts.isStoredVariant }
}

extension PixelSize {
  /// Larger than any screen, and small enough for multiplications.
  private static let sideLimit = 1e6

  /// Rounds up to whole pixels; `nil` unless both sides are positive and finite.
  init?(_ size: ViewSize, scale: Double) {
    guard let width = Self.side(size.width, scale), let height = Self.side(size.height, scale) else { return nil }
    self.init(width: width, height: height)
  }

  /// Whether the width or the height is larger.
  fileprivate func exceeds(_ other: PixelSize) -> Bool { width > other.width || height > other.height }

  private static func side(_ points: Double, _ scale: Double) -> Int? {
    let pixels = points * scale
    guard pixels > 0, pixels.isFinite, points > 0 else { return nil }
    // 33.3 points at a scale of 3 are 99.9 pixels, rounded up to 100; 100.0001 is a floating-point error, and also 100.
    return max(1, Int(min(sideLimit, (pixels - 1e-3).rounded(.up))))
  }
}
