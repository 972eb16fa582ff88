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
    var content = Data("WEBP".utf8) + header
    if let profile { content.append(Self.chunk("ICCP", profile)) }
    content.append(chunks)
    if let exif { content.append(Self.chunk("EXIF", exif)) }
    if let xmp { content.append(Self.chunk("XMP ", xmp)) }
    return Data("RIFF".utf8) + Self.littleEndian(content.count, count: 4) + content
  }

  /// The header of the extended format for a file in the simple one.
  private static func extendedHeader(of file: Data, size: PixelSize) throws(ImageEncodingError) -> Data {
    var features = WebPBitstreamFeatures()
    let status = file.withUnsafeBytes {
      WebPGetFeatures($0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count, &features)
    }
    guard status == VP8_STATUS_OK else { throw .failed(.webp, reason: "its bitstream header is invalid") }
    let flags = Data([features.has_alpha != 0 ? 0x10 : 0, 0, 0, 0])
    return Data("VP8X".utf8) + littleEndian(10, count: 4) + flags + littleEndian(size.width - 1, count: 3)
      + littleEndian(size.height - 1, count: 3)
  }

  private static func chunk(_ name: String, _ content: Data) -> Data {
    Data(name.utf8) + littleEndian(content.count, count: 4) + content + Data(count: content.count % 2)
  }

  private static func littleEndian(_ value: Int, count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
  }
}
#endif
