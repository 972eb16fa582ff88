import HalcyonImaging

extension ImageOrientation {
  private static let tag = 0x0112
  private static let shortType = 3

  /// The orientation in the first directory (IFD0) of Exif data, which starts with a TIFF header.
  ///
  /// `nil` when it is missing or invalid.
  init?(exif bytes: Bytes) {
    let littleEndian = bytes.starts(with: "II".utf8)
    guard littleEndian || bytes.starts(with: "MM".utf8),
      bytes.unsigned16(at: 2, littleEndian: littleEndian) == 42,
      let directory = bytes.unsigned32(at: 4, littleEndian: littleEndian),
      let entryCount = bytes.unsigned16(at: directory, littleEndian: littleEndian)
    else { return nil }
    for index in 0..<entryCount {
      let entry = directory + 2 + index * 12
      guard let tag = bytes.unsigned16(at: entry, littleEndian: littleEndian) else { return nil }
      guard tag == Self.tag else { continue }
      guard bytes.unsigned16(at: entry + 2, littleEndian: littleEndian) == Self.shortType,
        let value = bytes.unsigned16(at: entry + 8, littleEndian: littleEndian)
      else { return nil }
      self.init(rawValue: value)
      return
    }
    return nil
  }
}
