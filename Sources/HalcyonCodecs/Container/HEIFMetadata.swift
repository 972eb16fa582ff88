import Foundation
import HalcyonImaging

/// The Exif and XMP items of an AVIF or HEIC file.
struct HEIFMetadata {
  private static let xmpType = "application/rdf+xml"
  /// The most bytes of one item.
  private static let byteLimit = XMPPacket.byteLimit

  private let metadata: Bytes
  private let locations: ItemLocations
  private let table: ItemTable

  /// The metadata of a file with this header.
  static func metadata(of data: Data, header: HEIFImageHeader, format: ImageFormat) throws -> ImageMetadata {
    var result = ImageMetadata(
      info: header.info(format), colorSpace: header.color.flatMap { ColorSpaceHint(cicp: $0.primaries)?.rawValue },
      hasWideGamut: header.isWide, transferFunction: header.color?.highDynamicRange?.transfer.name)
    try data.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      var blocks = MetadataBlocks(colorProfile: header.colorProfile)
      if let metadata = try MediaFile(bytes, format: format).metadata {
        try HEIFMetadata(bytes, metadata, ItemTable(metadata, format)).read(into: &blocks)
        if let map = HEIFGainMap(bytes, metadata, header, format) {
          result.info.dynamicRange = map.encoded.dynamicRange
        }
      }
      try result.add(blocks)
    }
    return result
  }

  /// The Exif data and the XMP packet of an item in a file with a `meta` box; of the picture by default.
  static func blocks(of file: Bytes, _ metadata: Bytes, _ table: ItemTable, item: Int? = nil) -> MetadataBlocks {
    var blocks = MetadataBlocks(colorProfile: nil)
    HEIFMetadata(file, metadata, table).read(into: &blocks, of: item)
    return blocks
  }

  private init(_ file: Bytes, _ metadata: Bytes, _ table: ItemTable) {
    (self.metadata, self.table) = (metadata, table)
    locations = ItemLocations(file, metadata)
  }

  /// Reads the items that describe an image (`cdsc`; ISO/IEC 23008-12, 6.5); by default the primary image, which items
  /// without a reference describe too.
  private func read(into blocks: inout MetadataBlocks, of image: Int? = nil) {
    guard let items = metadata.box("iinf", from: 4) else { return }
    let images = image.map { [$0] } ?? table.imageItems
    var (describing, others): (Set<Int>, Set<Int>) = ([], [])
    let descriptions = table.references("cdsc")
    for source in descriptions.sources {
      if images.isDisjoint(with: descriptions[source]) { others.insert(source) } else { describing.insert(source) }
    }
    func describes(_ item: Int) -> Bool { describing.contains(item) || image == nil && !others.contains(item) }
    // Only the first of each kind: all items may have the same long data.
    var (exif, xmp): (Int?, Int?)
    for entry in Box.boxes(in: items, from: (items[0] ?? 0) != 0 ? 8 : 6) where entry.type == "infe" {
      let isWide = (entry.content[0] ?? 0) >= 3
      let identifier = isWide ? entry.content.unsigned32(at: 4) : entry.content.unsigned16(at: 4)
      guard let identifier, let type = entry.content.text(at: isWide ? 10 : 8, count: 4),
        ["Exif", "mime"].contains(type), describes(identifier)
      else { continue }
      if type == "Exif" { exif = exif ?? identifier }
      if type == "mime", xmp == nil, isXMP(entry.content, from: isWide ? 14 : 12) { xmp = identifier }
    }
    if let item = exif.flatMap(content) { setExif(item, in: &blocks) }
    blocks.xmp = xmp.flatMap(content)
  }

  /// The item begins with the distance to the TIFF header (ISO/IEC 23008-12, A.2.1).
  private func setExif(_ item: Data, in blocks: inout MetadataBlocks) {
    item.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      guard let distance = bytes.unsigned32(at: 0), distance < bytes.count - 4 else { return }
      blocks.setExif(bytes[4 + distance..<bytes.count])
    }
  }

  /// Whether the content type, which follows the name of the item, says XMP.
  private func isXMP(_ entry: Bytes, from start: Int) -> Bool {
    var offset = start
    while let byte = entry[offset], byte != 0 { offset += 1 }
    return entry[min(offset + 1, entry.count)..<entry.count].starts(with: Self.xmpType.utf8)
  }

  private func content(of item: Int) -> Data? {
    guard let parts = locations.data(of: item), parts.reduce(0, { $0 + $1.count }) <= Self.byteLimit else { return nil }
    return parts.reduce(into: Data()) { $0.append($1.data) }
  }
}
