import Foundation
import HalcyonSupport

/// Rotates an image clockwise around its centre, by another angle than a multiple of 90 degrees.
struct RotateProcessor: ImageProcessor {
  let degrees: Double

  var identifier: String { ProcessorIdentity("rotate").adding(degrees).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...360).check(degrees, "rotation in degrees")
    return try Rotation(degrees: degrees, source: bitmap.size).draw(bitmap)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Rotates the image clockwise around its centre; the result is large enough to show all of it.
  ///
  /// Multiples of 90 degrees are lossless. Other angles interpolate between four neighbours (bilinear), and areas that
  /// the image does not cover are transparent. They enlarge it: a square to at most twice its area, a thin image to much
  /// more. A result of more than 100 million pixels (the default of ``ImageLimits``) and of more than the image has is an
  /// error.
  ///
  /// - Parameter degrees: The angle, finite; modulo 360.
  public static func rotate(degrees: Double) -> Self {
    var angle = degrees.truncatingRemainder(dividingBy: 360)
    // The sum may round to 360.
    if angle < 0 { angle = (angle + 360).truncatingRemainder(dividingBy: 360) }
    let turn: ImageOrientation? = [0: .up, 90: .right, 180: .down, 270: .left][angle]
    return turn.map { BuiltInProcessor(TurnProcessor($0)) } ?? BuiltInProcessor(RotateProcessor(degrees: angle))
  }
}

/// Maps the pixels of a rotated image to positions in the source.
private struct Rotation {
  private let source: PixelSize
  private let outputSize: PixelSize
  private let sine: Double
  private let cosine: Double

  init(degrees: Double, source: PixelSize) {
    sine = sin(degrees * .pi / 180)
    cosine = cos(degrees * .pi / 180)
    self.source = source
    let (width, height) = (Double(source.width), Double(source.height))
    outputSize = PixelSize(
      width: Self.cover(abs(width * cosine) + abs(height * sine)),
      height: Self.cover(abs(width * sine) + abs(height * cosine)))
  }

  func draw(_ bitmap: Bitmap) throws -> Bitmap {
    let limit = max(source.pixelCount, ImageLimits().pixelCount)
    guard outputSize.pixelCount <= limit else { throw ImageProcessingError.resultTooLarge(outputSize, limit: limit) }
    return try bitmap.redrawn(size: outputSize, isOpaque: false) { pixels, result in
      for row in 0..<outputSize.height {
        try CancellationFlag.checkCurrent(atRow: row)
        for column in 0..<outputSize.width {
          result[row * outputSize.width + column] = pixel(column: column, row: row, of: pixels)
        }
      }
    }
  }

  /// The number of whole pixels that cover a length; ignores rounding errors below 1e-6.
  private static func cover(_ length: Double) -> Int { max(1, Int((length - 1e-6).rounded(.up))) }

  private func pixel(column: Int, row: Int, of pixels: UnsafeBufferPointer<Bitmap.Pixel>) -> Bitmap.Pixel {
    let x = Double(column) + 0.5 - Double(outputSize.width) / 2
    let y = Double(row) + 0.5 - Double(outputSize.height) / 2
    let sourceX = x * cosine + y * sine + Double(source.width) / 2 - 0.5
    let sourceY = y * cosine - x * sine + Double(source.height) / 2 - 0.5
    let (left, top) = (sourceX.rounded(.down), sourceY.rounded(.down))
    guard left >= -1, top >= -1, left < Double(source.width), top < Double(source.height) else { return .zero }
    let (right, down) = (Float(sourceX - left), Float(sourceY - top))
    let (firstColumn, firstRow) = (Int(left), Int(top))
    let upper =
      value(firstColumn, firstRow, pixels) * (1 - right) + value(firstColumn + 1, firstRow, pixels) * right
    let lower =
      value(firstColumn, firstRow + 1, pixels) * (1 - right) + value(firstColumn + 1, firstRow + 1, pixels) * right
    return Bitmap.Pixel(rounding: upper * (1 - down) + lower * down)
  }

  /// The components of a pixel; transparent outside the image.
  private func value(_ column: Int, _ row: Int, _ pixels: UnsafeBufferPointer<Bitmap.Pixel>) -> SIMD4<Float> {
    guard column >= 0, row >= 0, column < source.width, row < source.height else { return .zero }
    return pixels[row * source.width + column].components
  }
}
