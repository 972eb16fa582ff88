/// The JPEG thumbnail in the second directory (IFD1) of Exif data (Exif 2.32, 4.5.5).
enum ExifThumbnail {
  private static let offsetTag = 0x0201
  private static let byteCountTag = 0x0202

  /// The position of the thumbnail in Exif data, which starts with a TIFF header; `nil` if there is none.
  static func range(in exif: Bytes) -> Range<Int>? {
    let littleEndian = exif.starts(with: "II".utf8)
    guard littleEndian || exif.starts(with: "MM".utf8),
      let first = exif.unsigned32(at: 4, littleEndian: littleEndian),
      let count = exif.unsigned16(at: first, littleEndian: littleEndian),
      let directory = exif.unsigned32(at: first + 2 + count * 12, littleEndian: littleEndian), directory > 0,
      let offset = value(of: offsetTag, in: directory, of: exif, littleEndian),
      let byteCount = value(of: byteCountTag, in: directory, of: exif, littleEndian),
      byteCount > 0, offset + byteCount <= exif.count
    else { return nil }
    return offset..<offset + byteCount
  }

  private static func value(of tag: Int, in directory: Int, of exif: Bytes, _ littleEndian: Bool) -> Int? {
    guard let count = exif.unsigned16(at: directory, littleEndian: littleEndian) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard let found = exif.unsigned16(at: entry, littleEndian: littleEndian) else { return nil }
      if found == tag { return exif.unsigned32(at: entry + 8, littleEndian: littleEndian) }
    }
    return nil
  }
}
