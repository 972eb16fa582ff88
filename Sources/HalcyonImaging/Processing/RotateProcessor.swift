/// Turns an image clockwise around its middle; the result is as large as it takes to show all of it.
///
/// Multiples of 90 degrees move pixels and change none. Any other angle mixes four neighbours (bilinear), and what the
/// image does not cover is transparent.
public struct RotateProcessor: ImageProcessor, Hashable {
  private let degrees: Double

  /// Creates a processor that turns clockwise by an angle, which counts modulo 360.
  public init(degrees: Double) {
    let turn = degrees.truncatingRemainder(dividingBy: 360)
    // An angle just below 0 must not become 360 itself.
    self.degrees = turn < 0 ? (turn + 360).truncatingRemainder(dividingBy: 360) : turn
  }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("rotate").adding(degrees).text }

  /// The turned image; any angle but the multiples of 90 makes it larger: a square to twice its area at most, a line to
  /// much more.
  ///
  /// - Throws: ``ImageProcessingError`` when the angle is no finite number, or the result has more than 100 million pixels
  ///   (the default of ``ImageLimits``) and more than the image; ``BitmapError`` when there is no memory.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...360).check(degrees, "rotation in degrees")
    switch degrees {
    case 0: return bitmap
    case 90, 270: return try quarterTurned(bitmap, clockwise: degrees == 90)
    case 180: return try halfTurned(bitmap)
    default: return try Rotation(degrees: degrees, source: bitmap.size).draw(bitmap)
    }
  }

  private func quarterTurned(_ bitmap: Bitmap, clockwise: Bool) throws -> Bitmap {
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    return try bitmap.redrawn(size: bitmap.size.transposed, isOpaque: bitmap.isOpaque) { source, result in
      for row in 0..<height {
        for column in 0..<width {
          let turnedRow = clockwise ? column : width - 1 - column
          let turnedColumn = clockwise ? height - 1 - row : row
          result[turnedRow * height + turnedColumn] = source[row * width + column]
        }
      }
    }
  }

  private func halfTurned(_ bitmap: Bitmap) throws -> Bitmap {
    try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      for index in 0..<source.count { result[index] = source[source.count - 1 - index] }
    }
  }
}

extension ImageProcessor where Self == RotateProcessor {
  /// Turns the image clockwise by an angle in degrees.
  public static func rotate(degrees: Double) -> Self { RotateProcessor(degrees: degrees) }
}
