import CHalcyonZlib
import Foundation

extension WritableMetadata {
  /// Display P3 with the curve of sRGB, RGB with the full range (ITU-T H.273).
  private static let displayP3 = Data([12, 13, 0, 1])

  /// A PNG file with the metadata in chunks after its header.
  func added(toPNG file: Data) -> Data {
    var chunks = Data()
    if let profile {
      chunks.append(PNGChunk.encoded("cICP", Self.displayP3))
      chunks.append(PNGChunk.encoded("iCCP", Data("Display P3\0\0".utf8) + Self.compressed(profile)))
    }
    if let exif { chunks.append(PNGChunk.encoded("eXIf", exif)) }
    if let xmp {
      // Not compressed, without a language and a translated keyword.
      chunks.append(PNGChunk.encoded("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp))
    }
    return PNGChunk.inserted(chunks, into: file)
  }

  private static func compressed(_ data: Data) -> Data {
    var count = compressBound(uLong(data.count))
    var output = [UInt8](repeating: 0, count: Int(count))
    let status = data.withUnsafeBytes { bytes in
      compress(&output, &count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, uLong(data.count))
    }
    precondition(status == Z_OK, "compressBound is too small")
    return Data(output.prefix(Int(count)))
  }
}
