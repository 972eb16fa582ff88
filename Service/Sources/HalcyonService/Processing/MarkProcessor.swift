import Halcyon
import HalcyonCodecs
import HalcyonImaging

/// Draws a watermark at a gravity, or repeated over the whole image.
struct MarkProcessor: ImageProcessor {
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
    markIdentifier = WatermarkProcessor(mark).identifier
  }

  var identifier: String {
    """
    halcyon.service.mark \(markIdentifier) \(watermark.opacity) \(watermark.gravity.kind.rawValue) \
    \(watermark.gravity.x) \(watermark.gravity.y) \(watermark.isRepeated) \(watermark.scale) \(dpr)
    """
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let mark = try scaled(to: bitmap.size)
    var result = bitmap
    for (left, top) in positions(of: mark.size, in: bitmap.size) {
      result = try result.drawing(mark, left: left, top: top, opacity: watermark.opacity)
    }
    return result
  }

  private func scaled(to size: PixelSize) throws -> Bitmap {
    guard watermark.scale > 0 else { return mark }
    let width = max(1, Double(size.width) * watermark.scale)
    let height = max(1, Double(size.height) * watermark.scale)
    let factor = min(width / Double(mark.size.width), height / Double(mark.size.height))
    return try ResizeProcessor(
      .exact(
        width: max(1, Int((Double(mark.size.width) * factor).rounded())),
        height: max(1, Int((Double(mark.size.height) * factor).rounded()))
      )
    ).process(mark)
  }

  private func positions(of mark: PixelSize, in size: PixelSize) -> [(left: Int, top: Int)] {
    guard watermark.isRepeated else {
      let outer = (max(size.width, mark.width), max(size.height, mark.height))
      return [watermark.gravity.position(of: (mark.width, mark.height), in: outer, scale: dpr)]
    }
    let stepX = max(1, mark.width + Int((abs(watermark.gravity.x) * dpr).rounded()))
    let stepY = max(1, mark.height + Int((abs(watermark.gravity.y) * dpr).rounded()))
    return stride(from: 0, to: size.height, by: stepY).flatMap { top in
      stride(from: 0, to: size.width, by: stepX).map { (left: $0, top: top) }
    }
  }
}

extension Bitmap {
  /// The image with another one over it, clipped to this one.
  fileprivate func drawing(_ mark: Bitmap, left: Int, top: Int, opacity: Double) throws -> Bitmap {
    let share = Int((opacity * 255).rounded())
    let (columns, rows) = (min(mark.size.width, size.width - left), min(mark.size.height, size.height - top))
    return try Bitmap(size: size, pixelFormat: pixelFormat, colorSpace: colorSpace, isOpaque: isOpaque) { result in
      withUnsafeBytes { result.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(result.count))) }
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
}
