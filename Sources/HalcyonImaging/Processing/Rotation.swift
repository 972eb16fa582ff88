import Foundation

/// Where the pixels of a turned image lie in the one before.
struct Rotation {
  private let source: PixelSize
  private let turned: PixelSize
  private let sine: Double
  private let cosine: Double

  init(degrees: Double, source: PixelSize) {
    sine = sin(degrees * .pi / 180)
    cosine = cos(degrees * .pi / 180)
    self.source = source
    let (width, height) = (Double(source.width), Double(source.height))
    turned = PixelSize(
      width: Self.cover(abs(width * cosine) + abs(height * sine)),
      height: Self.cover(abs(width * sine) + abs(height * cosine)))
  }

  func draw(_ bitmap: Bitmap) throws -> Bitmap {
    let limit = max(source.pixelCount, ImageLimits().pixelCount)
    guard turned.pixelCount <= limit else { throw ImageProcessingError.resultTooLarge(turned, limit: limit) }
    return try bitmap.redrawn(size: turned, isOpaque: false) { pixels, result in
      for row in 0..<turned.height {
        for column in 0..<turned.width {
          result[row * turned.width + column] = pixel(column: column, row: row, of: pixels)
        }
      }
    }
  }

  /// Whole pixels that hold a length; what is over by a rounding error takes no pixel more.
  private static func cover(_ length: Double) -> Int { max(1, Int((length - 1e-6).rounded(.up))) }

  private func pixel(column: Int, row: Int, of pixels: UnsafeBufferPointer<Bitmap.Pixel>) -> Bitmap.Pixel {
    let x = Double(column) + 0.5 - Double(turned.width) / 2
    let y = Double(row) + 0.5 - Double(turned.height) / 2
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

  /// A pixel, transparent outside of the image.
  private func value(_ column: Int, _ row: Int, _ pixels: UnsafeBufferPointer<Bitmap.Pixel>) -> SIMD4<Float> {
    guard column >= 0, row >= 0, column < source.width, row < source.height else { return .zero }
    return pixels[row * source.width + column].parts
  }
}
