#if !IMAGEIO
import CHalcyonWebP
import Foundation
import HalcyonImaging

extension WritableMetadata {
  /// A WebP file in the extended format with the profile in its first chunk, and the metadata in its last ones.
  func added(toWebP file: Data, size: PixelSize) throws(ImageEncodingError) -> Data {
    var chunks = file.dropFirst(12)
    var header: Data
    if chunks.starts(with: Data("VP8X".utf8)) {
      header = Data(chunks.prefix(18))
      chunks = chunks.dropFirst(18)
    } else {
      header = try Self.extendedHeader(of: file, size: size)
    }
    if profile != nil { header[8] |= 0x20 }
    if exif != nil { header[8] |= 0x08 }
    if xmp != nil { header[8] |= 0x04 }
    var content = header
    if let profile { content.append(WebPChunks.encoded("ICCP", profile)) }
    content.append(chunks)
    if let exif { content.append(WebPChunks.encoded("EXIF", exif)) }
    if let xmp { content.append(WebPChunks.encoded("XMP ", xmp)) }
    return WebPChunks.file(content)
  }

  /// The header of the extended format for a file in the simple one.
  private static func extendedHeader(of file: Data, size: PixelSize) throws(ImageEncodingError) -> Data {
    var features = WebPBitstreamFeatures()
    let status = file.withUnsafeBytes {
      WebPGetFeatures($0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count, &features)
    }
    guard status == VP8_STATUS_OK else { throw .failed(.webp, reason: "its bitstream header is invalid") }
    return WebPChunks.extendedHeader(flags: features.has_alpha != 0 ? 0x10 : 0, size: size)
  }
}
#endif
