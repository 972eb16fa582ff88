import Foundation
import HalcyonSupport

/// Rotates an image clockwise around its centre.
struct RotateProcessor: GeometryProcessor {
  private let degrees: Double

  init(degrees: Double) {
    let turn = degrees.truncatingRemainder(dividingBy: 360)
    // Adding 360 to an angle just below 0 may round to 360.
    self.degrees = turn < 0 ? (turn + 360).truncatingRemainder(dividingBy: 360) : turn
  }

  var identifier: String { ProcessorIdentity("rotate").adding(degrees).text }

  var keepsDynamicRange: Bool { quarterTurn != nil }

  /// The turn by a multiple of 90 degrees.
  private var quarterTurn: ImageOrientation? {
    switch degrees {
    case 0: .up
    case 90: .right
    case 180: .down
    case 270: .left
    default: nil
    }
  }

  func geometry(of bitmap: Bitmap) throws -> BitmapGeometry? {
    try (0...360).check(degrees, "rotation in degrees")
    return quarterTurn.flatMap { $0 == .up ? nil : BitmapGeometry($0, of: bitmap.size) }
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    if let geometry = try geometry(of: bitmap) { return try bitmap.with(geometry) }
    return degrees == 0 ? bitmap : try Rotation(degrees: degrees, source: bitmap.size).draw(bitmap)
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
  public static func rotate(degrees: Double) -> Self { BuiltInProcessor(RotateProcessor(degrees: degrees)) }
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
