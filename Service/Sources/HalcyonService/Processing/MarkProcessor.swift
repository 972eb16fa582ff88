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
    let width = max(1, (Double(size.width) * watermark.scale).rounded(.toNearestOrEven))
    let height = max(1, (Double(size.height) * watermark.scale).rounded(.toNearestOrEven))
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
      let (left, top) = watermark.gravity.position(
        of: (mark.width, mark.height), in: (size.width, size.height), scale: dpr, mayOverhang: true)
      return (stride(from: left, to: left + 1, by: 1), stride(from: top, to: top + 1, by: 1))
    }
    return (
      tiles(of: mark.width, space: watermark.gravity.x, in: size.width),
      tiles(of: mark.height, space: watermark.gravity.y, in: size.height)
    )
  }

  /// The beginnings of tiles around the centre of a length: an odd number of them, so that one is in the centre.
  private func tiles(of mark: Int, space: Double, in length: Int) -> StrideTo<Int> {
    let step = max(Self.leastStep, mark + max(0, Gravity.pixels(space, of: length, scale: dpr)))
    let count = (length + step - 1) / step | 1
    let first = (step - mark) / 2 - (count * step - length) / 2
    return stride(from: first, to: length, by: step)
  }

  /// Draws a mark, clipped to the image.
  private func draw(
    _ mark: Bitmap, over result: inout UnsafeMutableRawBufferPointer, of size: PixelSize, left: Int, top: Int
  ) {
    let share = Int((watermark.opacity * 255).rounded())
    let columns = max(0, -left)..<max(0, -left, min(mark.size.width, size.width - left))
    let rows = max(0, -top)..<max(0, -top, min(mark.size.height, size.height - top))
    mark.withUnsafeBytes { ink in
      for row in rows {
        for column in columns {
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
