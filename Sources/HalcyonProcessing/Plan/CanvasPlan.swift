import HalcyonImaging

/// The canvas around an image, whose size the plan checks: its extension to a size or an aspect ratio, padding, and the background.
struct CanvasPlan {
  private(set) var processors: [any ImageProcessor] = []
  /// The size of the image with its canvas.
  private(set) var size: PixelSize

  /// - Parameters:
  ///   - kept: The size of the image.
  ///   - requested: The size that was asked for; a side that follows from the other is 0.
  ///   - dpr: The factor of offsets and padding.
  init(_ options: ProcessingOptions, kept: PixelSize, requested: PixelSize, dpr: Double) {
    size = kept
    if options.extend.isEnabled {
      add(
        PixelSize(width: max(requested.width, 0), height: max(requested.height, 0)), gravity: options.extend.gravity,
        dpr: dpr)
    }
    if options.extendAspectRatio.isEnabled, requested.width > 0, requested.height > 0 {
      let ratio = Double(requested.width) / Double(requested.height)
      let width = Int(pixels: Double(size.height) * ratio)
      let height = Int(pixels: Double(size.width) / ratio)
      add(PixelSize(width: width, height: height), gravity: options.extendAspectRatio.gravity, dpr: dpr)
    }
    pad(options.padding, dpr: dpr)
    if let color = options.background { processors.append(BackgroundProcessor(color)) }
  }

  private mutating func add(_ least: PixelSize, gravity: Gravity, dpr: Double) {
    // Also where the image has this size: it may turn out smaller than expected.
    processors.append(
      CanvasProcessor(least: least, at: .gravity(gravity, scale: dpr), pixelLimit: .max))
    size = PixelSize(width: max(size.width, least.width), height: max(size.height, least.height))
  }

  private mutating func pad(_ padding: ProcessingOptions.Padding, dpr: Double) {
    func scaled(_ length: Int) -> Int { Int(pixels: Double(length) * dpr, rounding: .toNearestOrEven) }
    let scaled = ProcessingOptions.Padding(
      top: scaled(padding.top), right: scaled(padding.right), bottom: scaled(padding.bottom),
      left: scaled(padding.left))
    guard scaled != ProcessingOptions.Padding() else { return }
    processors.append(
      PaddingProcessor(
        top: scaled.top, right: scaled.right, bottom: scaled.bottom, left: scaled.left, pixelLimit: .max))
    size.width += scaled.left + scaled.right
    size.height += scaled.top + scaled.bottom
  }
}
