import Halcyon
import HalcyonCodecs
import HalcyonImaging

/// Draws a watermark at a gravity, or repeated over the whole image.
struct MarkProcessor: ImageProcessor {
  /// The least distance from one repeated mark to the next, in pixels.
  private static let leastStep = 8

  private let mark: Bitmap
  private let watermark: ProcessingOptions.Watermark
  /// The factor of offsets in pixels.
  private let dpr: Double
  /// Identifies the pixels of the mark.
  private let markIdentifier: String

  init(_ mark: Bitmap, _ watermark: ProcessingOptions.Watermark, dpr: Double) {
    self.mark = mark
    self.watermark = watermark
    self.dpr = dpr
    markIdentifier = BuiltInProcessor.watermark(mark).identifier
  }

  var identifier: String {
    """
    halcyon.service.mark \(markIdentifier) \(watermark.opacity) \(watermark.gravity.kind.rawValue) \
    \(watermark.gravity.x) \(watermark.gravity.y) \(watermark.isRepeated) \(watermark.scale) \(dpr)
    """
  }

  /// The size of the mark on an image.
  func markSize(on size: PixelSize) -> PixelSize {
    guard watermark.scale > 0 else { return mark.size }
    let width = max(1, Double(size.width) * watermark.scale)
    let height = max(1, Double(size.height) * watermark.scale)
    let factor = min(width / Double(mark.size.width), height / Double(mark.size.height))
    return PixelSize(
      width: max(1, Int(pixels: Double(mark.size.width) * factor)),
      height: max(1, Int(pixels: Double(mark.size.height) * factor)))
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let size = markSize(on: bitmap.size)
    let mark = try BuiltInProcessor.resize(.exact(width: size.width, height: size.height)).process(mark)
    let (lefts, tops) = positions(of: size, in: bitmap.size)
    // Into one copy, however many marks there are.
    return try bitmap.copy(isOpaque: bitmap.isOpaque) { result in
      for top in tops {
        for left in lefts {
          try checkCancellation()
          draw(mark, over: &result, of: bitmap.size, left: left, top: top)
        }
      }
    }
  }

  /// The left edges of the marks, and their top edges.
  private func positions(of mark: PixelSize, in size: PixelSize) -> (lefts: StrideTo<Int>, tops: StrideTo<Int>) {
    guard watermark.isRepeated else {
      let outer = (max(size.width, mark.width), max(size.height, mark.height))
      let (left, top) = watermark.gravity.position(of: (mark.width, mark.height), in: outer, scale: dpr)
      return (stride(from: left, to: left + 1, by: 1), stride(from: top, to: top + 1, by: 1))
    }
    func step(_ length: Int, _ space: Double) -> Int { max(Self.leastStep, length + Int(pixels: abs(space) * dpr)) }
    return (
      stride(from: 0, to: size.width, by: step(mark.width, watermark.gravity.x)),
      stride(from: 0, to: size.height, by: step(mark.height, watermark.gravity.y))
    )
  }

  /// Draws a mark, clipped to the image.
  private func draw(
    _ mark: Bitmap, over result: inout UnsafeMutableRawBufferPointer, of size: PixelSize, left: Int, top: Int
  ) {
    let share = Int((watermark.opacity * 255).rounded())
    let (columns, rows) = (min(mark.size.width, size.width - left), min(mark.size.height, size.height - top))
    mark.withUnsafeBytes { ink in
      for row in 0..<max(0, rows) {
        for column in 0..<max(0, columns) {
          let from = row * mark.bytesPerRow + column * 4
          let to = ((top + row) * size.width + left + column) * 4
          let rest = 255 - Int(ink[from + 3]) * share / 255
          for channel in 0..<4 {
            let value = Int(ink[from + channel]) * share / 255 + (Int(result[to + channel]) * rest + 127) / 255
            result[to + channel] = UInt8(min(255, value))
          }
        }
      }
    }
  }
}
