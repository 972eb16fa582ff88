#if !IMAGEIO
package import HalcyonImaging
import HalcyonSupport
import CWebP
package import Foundation

/// Encodes WebP through libwebp, lossy or lossless, with alpha.
package struct WebPEncoder: ImageEncoder {
  /// The longest side that the format allows, in pixels.
  private static let sideLimit = 16_383

  /// Creates an encoder; it has no state.
  package init() {}

  /// WebP.
  package var format: ImageFormat { .webp }

  /// Encodes a bitmap.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 16,383 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.webp, bitmap.size)
    }
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else {
      throw ImageEncodingError.failed(.webp, reason: "libwebp has an incompatible version")
    }
    config.quality = Float(options.quality * 100)
    if options.isLossless {
      config.lossless = 1
      // For lossless encoding, libwebp's quality is the effort; a compromise between fast and small.
      config.quality = 75
    }
    var picture = try WebPOutputBuffer(bitmap)
    let file = try picture.encode(config)
    return try WritableMetadata(options.metadata, bitmap.colorSpace)?.added(toWebP: file, size: bitmap.size) ?? file
  }
}

/// The pixels of a bitmap in libwebp's layout: straight alpha, one `UInt32` per pixel.
private struct WebPOutputBuffer: ~Copyable {
  private var picture = WebPPicture()

  init(_ bitmap: Bitmap) throws(ImageEncodingError) {
    guard WebPPictureInit(&picture) != 0 else { throw .failed(.webp, reason: "libwebp has an incompatible version") }
    picture.use_argb = 1
    picture.width = Int32(bitmap.size.width)
    picture.height = Int32(bitmap.size.height)
    guard WebPPictureAlloc(&picture) != 0 else { throw .failed(.webp, reason: "out of memory") }
    fill(from: bitmap)
  }

  deinit {
    var picture = picture
    WebPPictureFree(&picture)
  }

  /// The encoded file.
  mutating func encode(_ config: WebPConfig) throws -> Data {
    var config = config
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer { WebPMemoryWriterClear(&writer) }
    let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
      picture.writer = WebPMemoryWrite
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      picture.progress_hook = { _, _ in CancellationFlag.isCurrentCancelled ? 0 : 1 }
      return WebPEncode(&config, &picture) != 0
    }
    guard isEncoded, let bytes = writer.mem else {
      if picture.error_code == VP8_ENC_ERROR_USER_ABORT { throw CancellationError() }
      throw ImageEncodingError.failed(.webp, reason: "libwebp error \(picture.error_code.rawValue)")
    }
    return Data(bytes: bytes, count: writer.size)
  }

  private func fill(from bitmap: Bitmap) {
    let width = bitmap.size.width
    var row = [UInt8](repeating: 0, count: width * 4)
    bitmap.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, let target = picture.argb else { return }
      for index in 0..<bitmap.size.height {
        AlphaMath.unpremultiply(start + index * bitmap.bytesPerRow, count: width, into: &row)
        let pixels = target + index * Int(picture.argb_stride)
        for column in 0..<width {
          let (red, green, blue) = (UInt32(row[column * 4]), UInt32(row[column * 4 + 1]), UInt32(row[column * 4 + 2]))
          pixels[column] = UInt32(row[column * 4 + 3]) << 24 | red << 16 | green << 8 | blue
        }
      }
    }
  }
}
#endif
