import Foundation
import Halcyon
import HalcyonImaging

/// Files around one block of metadata, whose bytes are the input.
///
/// The block of a mutated file rarely gets that far: checksums and compression fail, or the file around it.
struct MetadataContainer {
  /// The beginning of inputs that are blocks; the four letters of the kind follow.
  static let signature = Data("META:".utf8)

  /// The files are as small as they can be, and without metadata of their own. Arrays, since the leak sanitizer does not find
  /// the pointer in a `Data`.
  private static let bitmap = try? Bitmap(size: PixelSize(width: 2, height: 2), isOpaque: true) { pixels in
    for index in pixels.indices { pixels[index] = 255 }
  }
  private static let jpeg = encoded(.jpeg)
  private static let png = encoded(.png)
  private static let webp = encoded(.webp)

  /// The files with the block; none for an unknown kind.
  static func files(_ input: Data) -> [Data] {
    // A segment of a JPEG holds no more.
    let block = input.dropFirst(4).prefix(65_000)
    switch String(decoding: input.prefix(4), as: UTF8.self) {
    case "exif": return [jpeg(0xE1, "Exif\0\0", block), png("eXIf", block), webp(exif: block)]
    case "xmp-":
      return [
        jpeg(0xE1, "http://ns.adobe.com/xap/1.0/\0", block),
        png("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + block),
        webp(xmp: block),
      ]
    case "date":
      let packet = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
      let date = Data((packet + "xmlns:exif='http://ns.adobe.com/exif/1.0/' exif:DateTimeOriginal='").utf8) + block
      return [webp(xmp: date + Data("'/></rdf:RDF>".utf8))]
    case "icc-": return [jpeg(0xE2, "ICC_PROFILE\0\u{1}\u{1}", block), webp(profile: block)]
    // The index of a picture and its gain map, the list of both, and what either form says about the map.
    case "mpf-", "lis-", "iso-", "map-":
      return GainMapContainer.shared?.files(String(decoding: input.prefix(3), as: UTF8.self), block) ?? []
    // The content of chunks with texts and compression of their own.
    case "itxt": return [png("iTXt", block)]
    case "iccp": return [png("iCCP", block)]
    default: return []
    }
  }

  /// The image with metadata, as a file.
  static func written(_ metadata: ImageMetadata, as format: ImageFormat) throws -> Data {
    guard let bitmap, let encoder = try? StandardCodecs.encoder(for: format) else { return Data() }
    return try encoder.encode(bitmap, options: EncodingOptions(metadata: metadata))
  }

  private static func encoded(_ format: ImageFormat) -> [UInt8] {
    guard let bitmap, let encoder = try? StandardCodecs.encoder(for: format),
      let file = try? encoder.encode(bitmap, options: EncodingOptions())
    else { fatalError("\(format) cannot be written") }
    return Array(file)
  }

  /// With the segment at the beginning, where the start of the image has two bytes.
  private static func jpeg(_ marker: UInt8, _ prefix: String, _ block: Data) -> Data {
    let content = Data(prefix.utf8) + block
    var segment = Data([0xFF, marker])
    segment += bigEndian(content.count + 2).suffix(2)
    return jpeg.prefix(2) + segment + content + jpeg.dropFirst(2)
  }

  /// With the chunk behind the header, which has 33 bytes with the signature.
  private static func png(_ type: String, _ content: Data) -> Data {
    let checked = Data(type.utf8) + content
    var chunk = Data(bigEndian(content.count))
    chunk += checked
    chunk += bigEndian(Int(checksum(checked)))
    return png.prefix(33) + chunk + png.dropFirst(33)
  }

  private static func webp(profile: Data? = nil, exif: Data? = nil, xmp: Data? = nil) -> Data {
    let flags: UInt8 = (profile == nil ? 0 : 0x20) | (exif == nil ? 0 : 0x08) | (xmp == nil ? 0 : 0x04)
    var content = Data("WEBP".utf8) + chunk("VP8X", Data([flags, 0, 0, 0, 1, 0, 0, 1, 0, 0]))
    if let profile { content += chunk("ICCP", profile) }
    content += webp.dropFirst(12)
    if let exif { content += chunk("EXIF", exif) }
    if let xmp { content += chunk("XMP ", xmp) }
    return chunk("RIFF", content)
  }

  private static func chunk(_ type: String, _ content: Data) -> Data {
    var chunk = Data(type.utf8)
    chunk += bigEndian(content.count).reversed()
    chunk += content
    if content.count % 2 == 1 { chunk.append(0) }
    return chunk
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// The CRC-32 of a chunk.
  private static func checksum(_ bytes: Data) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
