import CWebP
import CZlib
import Foundation
import HalcyonImaging

/// The metadata that encoded files get, and the places for it in them.
struct WritableMetadata {
  /// The most bytes of a JPEG segment, without its marker and its length.
  private static let segmentByteLimit = 65_533
  private static let pngHeaderEnd = 33

  private let exif: Data?
  private let xmp: Data?

  /// `nil` if there is nothing to write.
  init?(_ metadata: ImageMetadata?) {
    guard let metadata else { return nil }
    exif = metadata.exif.flatMap(ExifData.upright) ?? ExifWriter.data(metadata)
    xmp = metadata.xmp.map { XMPPacket($0).upright }
    if exif == nil, xmp == nil { return nil }
  }

  /// A JPEG file with the metadata in segments after the JFIF header.
  func added(toJPEG file: Data) -> Data {
    var segments = Data()
    for (prefix, content) in [(JPEGHeader.exifPrefix, exif), (JPEGHeader.xmpPrefix, xmp)] {
      guard let content, prefix.count + content.count <= Self.segmentByteLimit else { continue }
      let byteCount = prefix.count + content.count + 2
      segments.append(contentsOf: [0xFF, 0xE1, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)] + prefix)
      segments.append(content)
    }
    let bytes = [UInt8](file.prefix(6))
    let hasJFIF = bytes.count == 6 && bytes[3] == 0xE0
    let end = hasJFIF ? 4 + Int(bytes[4]) << 8 + Int(bytes[5]) : 2
    return file.prefix(end) + segments + file.dropFirst(end)
  }

  /// A PNG file with the metadata in chunks after its header.
  func added(toPNG file: Data) -> Data {
    var chunks = Data()
    if let exif { chunks.append(Self.pngChunk("eXIf", exif)) }
    if let xmp {
      // Neither compressed, nor in a language, nor with a translated keyword.
      chunks.append(Self.pngChunk("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp))
    }
    return file.prefix(Self.pngHeaderEnd) + chunks + file.dropFirst(Self.pngHeaderEnd)
  }

  private static func pngChunk(_ name: String, _ content: Data) -> Data {
    let body = Data(name.utf8) + content
    let checksum = body.withUnsafeBytes { bytes in
      crc32(0, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, uInt(bytes.count))
    }
    return bigEndian(content.count) + body + bigEndian(Int(checksum))
  }

  private static func bigEndian(_ value: Int) -> Data {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Data($0) }
  }

  /// A WebP file in the extended format with the metadata in its last chunks.
  func added(toWebP file: Data, size: PixelSize) throws(ImageEncodingError) -> Data {
    var chunks = file.dropFirst(12)
    var header: Data
    if chunks.starts(with: Data("VP8X".utf8)) {
      header = Data(chunks.prefix(18))
      chunks = chunks.dropFirst(18)
    } else {
      header = try Self.webPHeader(of: file, size: size)
    }
    if exif != nil { header[8] |= 0x08 }
    if xmp != nil { header[8] |= 0x04 }
    var content = Data("WEBP".utf8) + header + chunks
    if let exif { content.append(Self.webPChunk("EXIF", exif)) }
    if let xmp { content.append(Self.webPChunk("XMP ", xmp)) }
    return Data("RIFF".utf8) + Self.littleEndian(content.count, count: 4) + content
  }

  /// The header of the extended format for a file in the simple one.
  private static func webPHeader(of file: Data, size: PixelSize) throws(ImageEncodingError) -> Data {
    var features = WebPBitstreamFeatures()
    let status = file.withUnsafeBytes {
      WebPGetFeatures($0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count, &features)
    }
    guard status == VP8_STATUS_OK else { throw .failed(.webp, reason: "its bitstream header is invalid") }
    let flags = Data([features.has_alpha != 0 ? 0x10 : 0, 0, 0, 0])
    return Data("VP8X".utf8) + littleEndian(10, count: 4) + flags + littleEndian(size.width - 1, count: 3)
      + littleEndian(size.height - 1, count: 3)
  }

  private static func webPChunk(_ name: String, _ content: Data) -> Data {
    Data(name.utf8) + littleEndian(content.count, count: 4) + content + Data(count: content.count % 2)
  }

  private static func littleEndian(_ value: Int, count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
  }
}

extension ImageEncoder {
  /// Throws if there is metadata to write, which this encoder does not do.
  func rejectMetadata(_ options: EncodingOptions) throws(ImageEncodingError) {
    if WritableMetadata(options.metadata) != nil { throw .metadataNotSupported(format) }
  }
}
