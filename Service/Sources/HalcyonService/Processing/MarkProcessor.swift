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
    let size = bitmap.size
    return try Bitmap(
      size: size, pixelFormat: bitmap.pixelFormat, colorSpace: bitmap.colorSpace, isOpaque: bitmap.isOpaque
    ) { result in
      bitmap.withUnsafeBytes { result.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(result.count))) }
      mark.withUnsafeBytes { ink in
        let area = Area(bytes: result, size: size)
        guard watermark.isRepeated else {
          let outer = (max(size.width, mark.size.width), max(size.height, mark.size.height))
          let (left, top) = watermark.gravity.position(of: (mark.size.width, mark.size.height), in: outer, scale: dpr)
          return area.draw(ink, of: mark, left: left, top: top, opacity: watermark.opacity)
        }
        let (stepX, stepY) = (mark.size.width + gap(watermark.gravity.x), mark.size.height + gap(watermark.gravity.y))
        for top in stride(from: 0, to: size.height, by: stepY) {
          for left in stride(from: 0, to: size.width, by: stepX) {
            area.draw(ink, of: mark, left: left, top: top, opacity: watermark.opacity)
          }
        }
      }
    }
  }

  /// The space between two marks of a repeated one.
  private func gap(_ offset: Double) -> Int { Int(rounding: abs(offset) * dpr) }

  private func scaled(to image: PixelSize) throws -> Bitmap {
    let size = size(on: image)
    return size == mark.size ? mark : try ResizeProcessor(.exact(width: size.width, height: size.height)).process(mark)
  }

  /// The size of the mark on an image.
  func size(on image: PixelSize) -> PixelSize {
    guard watermark.scale > 0 else { return mark.size }
    let width = max(1, Double(image.width) * watermark.scale)
    let height = max(1, Double(image.height) * watermark.scale)
    let factor = min(width / Double(mark.size.width), height / Double(mark.size.height))
    return PixelSize(
      width: max(1, Int(rounding: Double(mark.size.width) * factor)),
      height: max(1, Int(rounding: Double(mark.size.height) * factor)))
  }
}

/// The pixels of an image that is drawn on.
private struct Area {
  let bytes: UnsafeMutableRawBufferPointer
  let size: PixelSize

  /// Draws a mark, clipped to the image.
  func draw(_ ink: UnsafeRawBufferPointer, of mark: Bitmap, left: Int, top: Int, opacity: Double) {
    let share = Int(rounding: opacity * 255)
    let (columns, rows) = (min(mark.size.width, size.width - left), min(mark.size.height, size.height - top))
    for row in 0..<max(0, rows) {
      for column in 0..<max(0, columns) {
        let from = row * mark.bytesPerRow + column * 4
        let to = ((top + row) * size.width + left + column) * 4
        let rest = 255 - Int(ink[from + 3]) * share / 255
        for channel in 0..<4 {
          let value = Int(ink[from + channel]) * share / 255 + (Int(bytes[to + channel]) * rest + 127) / 255
          bytes[to + channel] = UInt8(min(255, value))
        }
      }
    }
  }
}
