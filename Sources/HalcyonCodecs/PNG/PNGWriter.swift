#if !IMAGEIO
import HalcyonImaging
import HalcyonSupport
import CSPNG
import Foundation

extension PNGEncoder {
  func file(of bitmap: Bitmap) throws -> Data {
    let writer = try PNGWriter(size: bitmap.size)
    try writer.start(isOpaque: bitmap.isOpaque)
    var row = [UInt8](repeating: 0, count: bitmap.size.width * (bitmap.isOpaque ? 3 : 4))
    try bitmap.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for index in 0..<bitmap.size.height {
        try CancellationFlag.checkCurrent(atRow: index)
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

/// Writes one PNG file through libspng.
private struct PNGWriter: ~Copyable {
  private let context: OpaquePointer
  private let size: PixelSize

  init(size: PixelSize) throws(ImageEncodingError) {
    guard let context = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else {
      throw .failed(.png, reason: "out of memory")
    }
    self.context = context
    self.size = size
  }

  deinit { spng_ctx_free(context) }

  func start(isOpaque: Bool) throws(ImageEncodingError) {
    var header = spng_ihdr()
    header.width = UInt32(size.width)
    header.height = UInt32(size.height)
    header.bit_depth = 8
    header.color_type = UInt8((isOpaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA).rawValue)
    try check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1))
    try check(spng_set_ihdr(context, &header))
    let flags = Int32(SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue)
    try check(spng_encode_image(context, nil, 0, Int32(SPNG_FMT_PNG.rawValue), flags))
  }

  /// Writes one row, three bytes per pixel if the image is opaque, otherwise four with straight alpha.
  func write(_ row: [UInt8]) throws(ImageEncodingError) {
    let status = spng_encode_row(context, row, row.count)
    if status != Int32(SPNG_EOI.rawValue) { try check(status) }
  }

  /// The complete file.
  consuming func finish() throws(ImageEncodingError) -> Data {
    var byteCount = 0
    var status: Int32 = 0
    let bytes = spng_get_png_buffer(context, &byteCount, &status)
    try check(status)
    guard let bytes else { throw .failed(.png, reason: "out of memory") }
    return Data(bytesNoCopy: bytes, count: byteCount, deallocator: .free)
  }

  private func check(_ status: Int32) throws(ImageEncodingError) {
    guard status != Int32(SPNG_OK.rawValue) else { return }
    throw .failed(.png, reason: String(cString: spng_strerror(status)))
  }
}
#endif
