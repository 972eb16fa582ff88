import CZlib
import Foundation

extension WritableMetadata {
  private static let headerEnd = 33

  /// A PNG file with the metadata in chunks after its header.
  func added(toPNG file: Data) -> Data {
    var chunks = Data()
    if let exif { chunks.append(Self.chunk("eXIf", exif)) }
    if let xmp {
      // Neither compressed, nor in a language, nor with a translated keyword.
      chunks.append(Self.chunk("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp))
    }
    return file.prefix(Self.headerEnd) + chunks + file.dropFirst(Self.headerEnd)
  }

  private static func chunk(_ name: String, _ content: Data) -> Data {
    let body = Data(name.utf8) + content
    let checksum = body.withUnsafeBytes { bytes in
      crc32(0, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, uInt(bytes.count))
    }
    return bigEndian(UInt32(truncatingIfNeeded: content.count)) + body + bigEndian(UInt32(checksum))
  }

  private static func bigEndian(_ value: UInt32) -> Data {
    withUnsafeBytes(of: value.bigEndian) { Data($0) }
  }
}
