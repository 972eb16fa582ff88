import HalcyonImaging
import Foundation
import JPEGShim

/// One JPEG file being written by libjpeg-turbo.
struct JPEGWriter: ~Copyable {
  private let handle: OpaquePointer

  init() throws(ImageEncodingError) {
    guard let handle = jpeg_shim_writer_create() else { throw .failed(.jpeg, reason: "there is no memory") }
    self.handle = handle
  }

  deinit { jpeg_shim_writer_destroy(handle) }

  /// - Parameter quality: From 0 to 1.
  func start(size: PixelSize, quality: Double) throws(ImageEncodingError) {
    try check(jpeg_shim_writer_start(handle, size.width, size.height, Int32((quality * 100).rounded())))
  }

  /// Writes one row of packed pixels, four bytes each, the last of which is ignored.
  func write(_ row: UnsafePointer<UInt8>) throws(ImageEncodingError) {
    try check(jpeg_shim_write_row(handle, row))
  }

  /// The whole file.
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
