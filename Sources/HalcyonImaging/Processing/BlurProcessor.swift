/// Blurs an image by a Gaussian, made of three running means in each direction: the time grows with the image's area,
/// and with the radius only by what lies beyond the edges.
///
/// Every value is within 4 of 255 of a true Gaussian's from a radius of 2 on, and within 8 below that. Pixels at the edge
/// go on beyond it, so edges neither darken nor become transparent.
public struct BlurProcessor: ImageProcessor, Hashable {
  private let radius: Double

  /// Creates a processor.
  ///
  /// - Parameter radius: The standard deviation in pixels, as CSS and Core Image have it: 0 changes nothing; 0 to 1000.
  public init(radius: Double) { self.radius = radius }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("blur").adding(radius).text }

  /// The blurred image.
  ///
  /// - Throws: ``ImageProcessingError`` when the radius is no number or out of range; ``BitmapError`` when there is no
  ///   memory.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...1000).check(radius, "blur radius")
    guard radius > 0 else { return bitmap }
    let filter = BoxFilter(standardDeviation: radius)
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    var across = BlurStrip(length: width, filter: filter)
    let half = try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      guard let source = source.baseAddress, let result = result.baseAddress else { return }
      for row in stride(from: 0, to: height, by: BlurStrip.width) {
        let start = row * width
        let count = min(BlurStrip.width, height - row)
        across.blur(source + start, into: result + start, lineCount: count, step: 1, lineStep: width)
      }
    }
    var down = BlurStrip(length: height, filter: filter)
    return try half.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      guard let source = source.baseAddress, let result = result.baseAddress else { return }
      for column in stride(from: 0, to: width, by: BlurStrip.width) {
        let count = min(BlurStrip.width, width - column)
        down.blur(source + column, into: result + column, lineCount: count, step: width, lineStep: 1)
      }
    }
  }
}

extension ImageProcessor where Self == BlurProcessor {
  /// Blurs the image by a Gaussian.
  ///
  /// - Parameter radius: The standard deviation in pixels, 0 to 1000.
  public static func blur(radius: Double) -> Self { BlurProcessor(radius: radius) }
}
