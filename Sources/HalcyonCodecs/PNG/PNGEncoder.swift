public import HalcyonImaging
public import Foundation

/// Encodes PNG through libspng, 8 bits a channel; without an alpha channel where the bitmap is opaque.
public struct PNGEncoder: ImageEncoder {
  private static let sideLimit = 0x7FFF_FFFF

  /// Creates an encoder; it holds nothing.
  public init() {}

  /// PNG.
  public var format: ImageFormat { .png }

  /// Encodes a bitmap without loss, save that of colour in nearly transparent pixels, which are stored premultiplied.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.png, bitmap.size)
    }
    let writer = try PNGWriter(size: bitmap.size)
    try writer.start(isOpaque: bitmap.isOpaque)
    var row = [UInt8](repeating: 0, count: bitmap.size.width * (bitmap.isOpaque ? 3 : 4))
    try bitmap.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for index in 0..<bitmap.size.height {
        let pixels = start + index * bitmap.bytesPerRow
        if bitmap.isOpaque {
          dropAlpha(pixels, count: bitmap.size.width, into: &row)
        } else {
          AlphaMath.unpremultiply(pixels, count: bitmap.size.width, into: &row)
        }
        try writer.write(row)
      }
    }
    return try writer.finish()
  }

  private func dropAlpha(_ pixels: UnsafePointer<UInt8>, count: Int, into row: inout [UInt8]) {
    for pixel in 0..<count {
      for channel in 0..<3 { row[pixel * 3 + channel] = pixels[pixel * 4 + channel] }
    }
  }
}
