public import HalcyonImaging
public import Foundation

/// Encodes baseline JPEG through libjpeg-turbo, with colour at half the resolution.
///
/// JPEG has no transparency: the background of the options shows through.
public struct JPEGEncoder: ImageEncoder {
  /// The most pixels of a side that libjpeg writes.
  private static let sideLimit = 65_500

  /// Creates an encoder; it holds nothing.
  public init() {}

  /// JPEG.
  public var format: ImageFormat { .jpeg }

  /// Encodes a bitmap; throws `ImageEncodingError.tooLarge` where a side is over 65,500 pixels.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.jpeg, bitmap.size)
    }
    let writer = try JPEGWriter()
    try writer.start(size: bitmap.size, quality: options.quality)
    var flattened = [UInt8](repeating: 0, count: bitmap.size.width * 4)
    try bitmap.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for row in 0..<bitmap.size.height {
        let pixels = start + row * bitmap.bytesPerRow
        if bitmap.isOpaque {
          try writer.write(pixels)
        } else {
          flatten(pixels, onto: options.background, into: &flattened)
          try writer.write(flattened)
        }
      }
    }
    return try writer.finish()
  }

  /// Lays premultiplied pixels over one colour.
  private func flatten(_ pixels: UnsafePointer<UInt8>, onto color: PixelColor, into row: inout [UInt8]) {
    let background = [color.red, color.green, color.blue]
    for offset in stride(from: 0, to: row.count, by: 4) {
      let rest = 255 - UInt16(pixels[offset + 3])
      for channel in 0..<3 {
        let shown = UInt16(pixels[offset + channel]) + (UInt16(background[channel]) * rest + 127) / 255
        row[offset + channel] = UInt8(min(shown, 255))
      }
    }
  }
}
