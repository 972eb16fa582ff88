#if !IMAGEIO
import HalcyonImaging
import HalcyonSupport
import Foundation
import CHalcyonJPEGShim

extension JPEGEncoder {
  /// - Parameter mayBeGrey: Whether a grey bitmap is written with one channel.
  func file(of bitmap: Bitmap, options: EncodingOptions, mayBeGrey: Bool = true) throws -> Data {
    let background = options.background.converted(to: bitmap.colorSpace)
    let isGrey = mayBeGrey && bitmap.isGrey && (bitmap.isOpaque || background.isGrey)
    let writer = try JPEGWriter()
    try writer.start(
      size: bitmap.size, quality: options.quality, chroma: isGrey ? jpeg_shim_chroma_none : Self.chroma(options),
      isProgressive: isProgressive)
    var flattened = [UInt8](repeating: 0, count: bitmap.size.width * 4)
    var greys = [UInt8](repeating: 0, count: isGrey ? bitmap.size.width : 0)
    try bitmap.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      for row in 0..<bitmap.size.height {
        try CancellationFlag.checkCurrent(atRow: row)
        var pixels = start + row * bitmap.bytesPerRow
        try flattened.withUnsafeMutableBufferPointer { flattened in
          if !bitmap.isOpaque, let target = flattened.baseAddress {
            AlphaMath.flatten(pixels, count: bitmap.size.width, onto: background, into: target)
            pixels = UnsafePointer(target)
          }
          guard isGrey else { return try writer.write(pixels) }
          for column in greys.indices { greys[column] = pixels[column * 4] }
          try writer.write(greys)
        }
      }
    }
    return try writer.finish()
  }

  private static func chroma(_ options: EncodingOptions) -> jpeg_shim_chroma {
    options.quality < EncodingOptions.fullColorQuality ? jpeg_shim_chroma_420 : jpeg_shim_chroma_444
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
  func start(
    size: PixelSize, quality: Double, chroma: jpeg_shim_chroma, isProgressive: Bool
  ) throws(ImageEncodingError) {
    let percent = Int32((quality * 100).rounded())
    try check(jpeg_shim_writer_start(handle, size.width, size.height, percent, chroma, isProgressive))
  }

  /// Writes one row: four bytes per pixel, of which the last is ignored; one byte per pixel without chroma.
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
#endif
