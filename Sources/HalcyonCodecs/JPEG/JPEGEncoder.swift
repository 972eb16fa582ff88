public import HalcyonImaging
public import Foundation
import JPEGShim

/// Encodes baseline JPEG through libjpeg-turbo, with 4:2:0 chroma subsampling.
///
/// JPEG has no alpha channel: transparent pixels are blended over the background colour of the options.
public struct JPEGEncoder: ImageEncoder {
  /// The longest side that libjpeg writes, in pixels.
  private static let sideLimit = 65_500

  /// Creates an encoder; it has no state.
  public init() {}

  /// JPEG.
  public var format: ImageFormat { .jpeg }

  /// Encodes a bitmap.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,500 pixels.
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
    let file = try writer.finish()
    return WritableMetadata(options.metadata)?.added(toJPEG: file) ?? file
  }

  /// Blends premultiplied pixels over a background colour.
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

/// One JPEG file being written by libjpeg-turbo.
private struct JPEGWriter: ~Copyable {
  private let handle: OpaquePointer

  init() throws(ImageEncodingError) {
    guard let handle = jpeg_shim_writer_create() else { throw .failed(.jpeg, reason: "out of memory") }
    self.handle = handle
  }

  deinit { jpeg_shim_writer_destroy(handle) }

  /// - Parameter quality: From 0 to 1.
  func start(size: PixelSize, quality: Double) throws(ImageEncodingError) {
    try check(jpeg_shim_writer_start(handle, size.width, size.height, Int32((quality * 100).rounded())))
  }

  /// Writes one row, four bytes per pixel, the last of which is ignored.
  func write(_ row: UnsafePointer<UInt8>) throws(ImageEncodingError) {
    try check(jpeg_shim_write_row(handle, row))
  }

  /// The complete file.
  consuming func finish() throws(ImageEncodingError) -> Data {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    try check(jpeg_shim_writer_finish(handle, &bytes, &count))
    return bytes.map { Data(bytes: $0, count: count) } ?? Data()
  }

  private func check(_ status: jpeg_shim_status) throws(ImageEncodingError) {
    guard status != jpeg_shim_ok else { return }
    throw .failed(.jpeg, reason: String(cString: jpeg_shim_writer_message(handle)))
  }
}
