#if !IMAGEIO
import CHalcyonWebP
import Foundation
import HalcyonImaging
import HalcyonSupport

/// The pixels of a bitmap in libwebp's layout: straight alpha, one `UInt32` per pixel.
struct WebPOutputBuffer: ~Copyable {
  var picture = WebPPicture()

  init(_ bitmap: Bitmap) throws(ImageEncodingError) {
    guard WebPPictureInit(&picture) != 0 else { throw .failed(.webp, reason: "libwebp has an incompatible version") }
    picture.use_argb = 1
    picture.width = Int32(bitmap.size.width)
    picture.height = Int32(bitmap.size.height)
    guard WebPPictureAlloc(&picture) != 0 else { throw .failed(.webp, reason: "out of memory") }
    picture.progress_hook = { _, _ in CancellationFlag.isCurrentCancelled ? 0 : 1 }
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
