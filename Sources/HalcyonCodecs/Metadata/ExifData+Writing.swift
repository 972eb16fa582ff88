import Foundation
import HalcyonImaging

extension ExifData {
  private static let uprightValue: UInt16 = 1
  private static let sRGBValue: UInt16 = 1
  private static let uncalibratedValue: UInt16 = 0xFFFF

  /// Exif data for a file with upright pixels: without the thumbnail of the original, and with an orientation and a
  /// colour space that are true of the new file. `nil` if these bytes are no Exif data, or their directories overlap so that this fails.
  ///
  /// Values are changed in place, since the notes of camera makers contain positions.
  static func upright(_ data: Data, _ space: ColorSpace) -> Data? {
    var changes: [(offset: Int, bytes: [UInt8])] = []
    let thumbnail = data.withUnsafeBytes { buffer -> Range<Int>?? in
      guard let exif = ExifData(Bytes(buffer)) else { return nil }
      changes = exif.changes(to: space)
      return .some(exif.thumbnail)
    }
    guard let thumbnail else { return nil }
    var copy = [UInt8](data)
    if let thumbnail { for index in thumbnail { copy[index] = 0 } }
    // Truncated data may end inside an entry.
    for (offset, bytes) in changes {
      for (index, byte) in zip(offset..., bytes) where copy.indices.contains(index) { copy[index] = byte }
    }
    let orientation = copy.withUnsafeBytes { ExifData(Bytes($0))?.orientation }
    return orientation == nil || orientation == .up ? Data(copy) : nil
  }

  private func changes(to space: ColorSpace) -> [(offset: Int, bytes: [UInt8])] {
    var changes: [(offset: Int, bytes: [UInt8])] = []
    if let count = bytes.unsigned16(at: directory, littleEndian: isLittleEndian) {
      // The next directory belongs to the thumbnail.
      changes.append((directory + 2 + count * 12, [0, 0, 0, 0]))
    }
    if let entry = entry(Tag.orientation, in: directory) { changes.append((entry + 2, short(Self.uprightValue))) }
    guard let details = subdirectory(Tag.exifDirectory, in: directory) else { return changes }
    if let entry = entry(Tag.colorSpace, in: details) {
      changes.append((entry + 2, short(space == .sRGB ? Self.sRGBValue : Self.uncalibratedValue)))
    }
    // Adobe RGB.
    if let rules = subdirectory(Tag.interoperabilityDirectory, in: details),
      let entry = entry(Tag.interoperabilityIndex, in: rules), text(Tag.interoperabilityIndex, in: rules) == "R03"
    {
      changes.append((entry + 8, space == .sRGB ? Array("R98".utf8) : [0, 0, 0]))
    }
    return changes
  }

  /// The type, the count and the value of an entry with one 16-bit number.
  private func short(_ value: UInt16) -> [UInt8] {
    let (high, low) = (UInt8(value >> 8), UInt8(value & 0xFF))
    return isLittleEndian ? [3, 0, 1, 0, 0, 0, low, high, 0, 0] : [0, 3, 0, 0, 0, 1, high, low, 0, 0]
  }
}

/// Writes Exif data with texts.
struct ExifWriter {
  /// Exif data with an orientation only.
  static func data(_ orientation: ImageOrientation) -> Data {
    Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1])
      + Data(bigEndian: ExifData.Tag.orientation, count: 2) + [0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
      + Data(count: 4)
  }

  private typealias Entry = (tag: Int, text: String)

  /// The camera, the artist, the copyright and the date of `metadata` as Exif data; `nil` if it has none of them.
  static func data(_ metadata: ImageMetadata) -> Data? {
    let main: [Entry] = [
      (ExifData.Tag.make, metadata.cameraMake), (ExifData.Tag.model, metadata.cameraModel),
      (ExifData.Tag.artist, metadata.artist), (ExifData.Tag.copyright, metadata.copyright),
    ].compactMap { tag, text in text.map { (tag, $0) } }
    let details = dateEntries(metadata)
    guard !main.isEmpty || !details.isEmpty else { return nil }
    var data = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8])
    append(main, linking: !details.isEmpty, to: &data)
    if !details.isEmpty { append(details, linking: false, to: &data) }
    return data
  }

  private static func dateEntries(_ metadata: ImageMetadata) -> [Entry] {
    var metadata = metadata
    // Exif has no dates without a time (4.6.5); a missing second is written as 0.
    if let date = metadata.captureDate, date.minute != nil { metadata.captureDate?.second = date.second ?? 0 }
    guard let time = metadata.captureTime?.prefix(19), time.utf8.count == 19 else { return [] }
    var entries = [(ExifData.Tag.dateTimeOriginal, time.replacingOccurrences(of: "-", with: ":"))]
    let zone = metadata.captureTime?.dropFirst(19) ?? ""
    if !zone.isEmpty { entries.append((ExifData.Tag.offsetTimeOriginal, String(zone))) }
    return entries
  }

  /// Appends a directory and its texts; the entries are in the order of their tags.
  ///
  /// - Parameter isLinked: Whether a directory with details follows.
  private static func append(_ texts: [Entry], linking isLinked: Bool, to data: inout Data) {
    var entries = texts.map { (tag: $0.tag, text: Array($0.text.utf8.prefix(MetadataText.byteLimit)) + [0]) }
    if isLinked { entries.append((ExifData.Tag.exifDirectory, [])) }
    entries.sort { $0.tag < $1.tag }
    var end = data.count + 2 + entries.count * 12 + 4
    let total = end + entries.reduce(0) { $0 + ($1.text.count > 4 ? $1.text.count : 0) }
    data.append(contentsOf: Data(bigEndian: entries.count, count: 2))
    for (tag, text) in entries {
      let isLink = tag == ExifData.Tag.exifDirectory
      data.append(contentsOf: Data(bigEndian: tag, count: 2) + Data(bigEndian: isLink ? 4 : 2, count: 2))
      data.append(contentsOf: Data(bigEndian: isLink ? 1 : text.count, count: 4))
      if isLink {
        data.append(contentsOf: Data(bigEndian: total, count: 4))
      } else if text.count <= 4 {
        data.append(contentsOf: text + [UInt8](repeating: 0, count: 4 - text.count))
      } else {
        data.append(contentsOf: Data(bigEndian: end, count: 4))
        end += text.count
      }
    }
    data.append(contentsOf: Data(bigEndian: 0, count: 4))
    for (_, text) in entries where text.count > 4 { data.append(contentsOf: text) }
  }
}
