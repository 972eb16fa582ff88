import Foundation
import HalcyonImaging

/// The Exif and XMP items of an AVIF or HEIC file, found through its item locations (ISO/IEC 14496-12, 8.11.3).
struct HEIFMetadata {
  private static let xmpType = "application/rdf+xml"
  /// The most bytes of one item.
  private static let byteLimit = XMPPacket.byteLimit

  private static let extentLimit = 100_000

  private let file: Bytes
  private let metadata: Bytes
  private var locations: [Int: [Range<Int>]] = [:]

  /// The metadata of a file with this header.
  static func metadata(of data: Data, header: HEIFImageHeader, format: ImageFormat) throws -> ImageMetadata {
    var result = ImageMetadata(
      info: header.info(format), colorSpace: header.color.flatMap { ColorSpaceHint(cicp: $0.primaries) })
    try data.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      var blocks = MetadataBlocks(colorProfile: header.colorProfile)
      if let metadata = try MediaFile(bytes, format: format).metadata {
        HEIFMetadata(bytes, metadata).read(into: &blocks)
      }
      result.add(blocks)
    }
    return result
  }

  private init(_ file: Bytes, _ metadata: Bytes) {
    self.file = file
    self.metadata = metadata
    if let table = metadata.box("iloc", from: 4) { readLocations(table) }
  }

  private func read(into blocks: inout MetadataBlocks) {
    guard let items = metadata.box("iinf", from: 4) else { return }
    for entry in Box.boxes(in: items, from: (items[0] ?? 0) != 0 ? 8 : 6) where entry.type == "infe" {
      let isWide = (entry.content[0] ?? 0) >= 3
      let identifier = isWide ? entry.content.unsigned32(at: 4) : entry.content.unsigned16(at: 4)
      guard let identifier, let type = entry.content.text(at: isWide ? 10 : 8, count: 4) else { continue }
      if type == "Exif", blocks.exif == nil, let item = content(of: identifier) { setExif(item, in: &blocks) }
      if type == "mime", blocks.xmp == nil, isXMP(entry.content, from: isWide ? 14 : 12) {
        blocks.xmp = content(of: identifier)
      }
    }
  }

  /// The item begins with the distance to the TIFF header (ISO/IEC 23008-12, A.2.1).
  private func setExif(_ item: Data, in blocks: inout MetadataBlocks) {
    item.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      guard let distance = bytes.unsigned32(at: 0), distance < bytes.count - 4 else { return }
      blocks.setExif(bytes[4 + distance..<bytes.count])
    }
  }

  /// Whether the content type, which follows the name of the item, is that of XMP.
  private func isXMP(_ entry: Bytes, from start: Int) -> Bool {
    var offset = start
    while let byte = entry[offset], byte != 0 { offset += 1 }
    return entry[min(offset + 1, entry.count)..<entry.count].starts(with: Self.xmpType.utf8)
  }

  private func content(of item: Int) -> Data? {
    guard let extents = locations[item], extents.reduce(0, { $0 + $1.count }) <= Self.byteLimit else { return nil }
    return extents.reduce(into: Data()) { $0.append(file[$1].data) }
  }

  /// Reads the items whose extents are positions in the file. A file with very many extents has been made to be slow.
  private mutating func readLocations(_ table: Bytes) {
    guard let version = table[0], version <= 2, let sizes = table.unsigned16(at: 4) else { return }
    let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
    let indexSize = version == 0 ? 0 : sizes & 15
    var cursor = Cursor(bytes: table, offset: 6)
    guard let count = cursor.read(version < 2 ? 2 : 4) else { return }
    var extentLimit = Self.extentLimit
    for _ in 0..<count {
      guard let item = cursor.read(version < 2 ? 2 : 4), let method = version == 0 ? 0 : cursor.read(2),
        cursor.read(2) != nil, let base = cursor.read(baseSize), let extentCount = cursor.read(2)
      else { return }
      for _ in 0..<extentCount {
        extentLimit -= 1
        guard extentLimit > 0 else { return }
        guard cursor.read(indexSize) != nil, let offset = cursor.read(offsetSize), let length = cursor.read(lengthSize)
        else { return }
        guard method & 15 == 0, base <= file.count, offset <= file.count, length <= file.count,
          base + offset + length <= file.count
        else { continue }
        let start = base + offset
        locations[item, default: []].append(start..<(length == 0 ? file.count : start + length))
      }
    }
  }

  /// Reads integers of the sizes that the table states.
  private struct Cursor {
    let bytes: Bytes
    var offset: Int

    /// A number of 0, 2, 4 or 8 bytes; 0 if it has no bytes.
    mutating func read(_ byteCount: Int) -> Int? {
      defer { offset += byteCount }
      switch byteCount {
      case 0: return 0
      case 2: return bytes.unsigned16(at: offset)
      case 4: return bytes.unsigned32(at: offset)
      case 8:
        guard let high = bytes.unsigned32(at: offset), high < 1 << 24, let low = bytes.unsigned32(at: offset + 4)
        else { return nil }
        return high << 32 | low
      default: return nil
      }
    }
  }
}
