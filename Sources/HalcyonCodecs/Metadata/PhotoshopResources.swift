/// The image resources of Photoshop in a segment of a JPEG file, of which one has the records of the IPTC (IIM 4.2).
enum PhotoshopResources {
  static let prefix = Array("Photoshop 3.0\0".utf8)
  private static let (records, recordsDigest) = (0x0404, 0x0425)
  /// The city, the part of it, the province, the code and the name of the country, and the code and the name of the place
  /// that the content is about.
  private static let placeRecords: Set = [0x025A, 0x025C, 0x025F, 0x0264, 0x0265, 0x021A, 0x021B]

  /// As many bytes without the records of the place, with zeros after the other records and in place of their digest;
  /// zeros only if the resources or the records are damaged.
  static func blankedPlace(_ bytes: Bytes) -> [UInt8] {
    var (result, digests) = (Array(bytes.buffer), [Range<Int>]())
    var offset = 0
    while offset < bytes.count, !bytes.hasOnlyZeros(from: offset) {
      // A resource has a type, a number, a name with its length, and content with its length, each of an even length.
      let start = offset + 10 + (Int(bytes[offset + 6] ?? 0) / 2 + 1) * 2
      guard bytes[offset..<offset + 4].starts(with: "8BIM".utf8), let id = bytes.unsigned16(at: offset + 4),
        let count = bytes.unsigned32(at: start - 4), start + count <= bytes.count
      else { return blank(bytes.count) }
      let content = start..<start + count
      if id == recordsDigest { digests.append(content) }
      if id == records {
        guard let others = otherRecords(bytes[content]) else { return blank(bytes.count) }
        result.replaceSubrange(content, with: others + blank(count - others.count))
      }
      offset = start + count + count % 2
    }
    if !result.elementsEqual(bytes.buffer) {
      for digest in digests { result.replaceSubrange(digest, with: blank(digest.count)) }
    }
    return result
  }

  /// The records that are not of the place, without zeros after the last one; `nil` if one is damaged.
  private static func otherRecords(_ bytes: Bytes) -> [UInt8]? {
    var (others, offset) = ([UInt8](), 0)
    while offset < bytes.count {
      if bytes[offset] == 0 { return bytes.hasOnlyZeros(from: offset) ? others : nil }
      // The length of a long value has four bytes, after their number.
      let isLong = bytes.unsigned16(at: offset + 3) == 0x8004
      let start = offset + (isLong ? 9 : 5)
      guard bytes[offset] == 0x1C, let number = bytes.unsigned16(at: offset + 1),
        let count = isLong ? bytes.unsigned32(at: offset + 5) : bytes.unsigned16(at: offset + 3),
        isLong || count < 0x8000, start + count <= bytes.count
      else { return nil }
      if !placeRecords.contains(number) { others += bytes[offset..<start + count].buffer }
      offset = start + count
    }
    return others
  }

  private static func blank(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

extension Bytes {
  fileprivate func hasOnlyZeros(from offset: Int) -> Bool { buffer[offset...].allSatisfy { $0 == 0 } }
}
