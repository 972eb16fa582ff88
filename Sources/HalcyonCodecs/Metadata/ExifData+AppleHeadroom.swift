import Foundation

extension ExifData {
  private static let makerNoteSignature = Array("Apple iOS\0".utf8)
  /// The fields of the note that describe the gain map.
  private static let (headroomTag, gainTag) = (33, 48)
  private static let signedFractionType = 10

  /// The headroom at which the gain map of an Apple camera applies as a whole, in stops; `nil` without its maker note.
  ///
  /// The formula is that of Apple's article "Applying Apple HDR effect to your photos".
  var appleHeadroom: Double? {
    guard let details = subdirectory(Tag.exifDirectory, in: directory), let entry = entry(Tag.makerNote, in: details),
      let count = bytes.unsigned32(at: entry + 4, littleEndian: isLittleEndian),
      let start = bytes.unsigned32(at: entry + 8, littleEndian: isLittleEndian)
    else { return nil }
    let note = bytes[start..<start + count]
    guard note.starts(with: Self.makerNoteSignature), let order = note.text(at: 12, count: 2),
      let headroom = Self.fraction(Self.headroomTag, in: note, isLittleEndian: order == "II"),
      let gain = Self.fraction(Self.gainTag, in: note, isLittleEndian: order == "II")
    else { return nil }
    let stops =
      switch (headroom < 1, gain <= 0.01) {
      case (true, true): -20 * gain + 1.8
      case (true, false): -0.101 * gain + 1.601
      case (false, true): -70 * gain + 3
      case (false, false): -0.303 * gain + 2.303
      }
    return max(stops, 0)
  }

  /// A number of the note's directory, which starts after its signature, its version and its byte order.
  private static func fraction(_ tag: Int, in note: Bytes, isLittleEndian: Bool) -> Double? {
    let directory = 14
    guard let count = note.unsigned16(at: directory, littleEndian: isLittleEndian) else { return nil }
    for entry in stride(from: directory + 2, to: directory + 2 + count * 12, by: 12) {
      guard note.unsigned16(at: entry, littleEndian: isLittleEndian) == tag else { continue }
      guard note.unsigned16(at: entry + 2, littleEndian: isLittleEndian) == signedFractionType,
        let position = note.unsigned32(at: entry + 8, littleEndian: isLittleEndian),
        let dividend = note.bits32(at: position, littleEndian: isLittleEndian),
        let divisor = note.bits32(at: position + 4, littleEndian: isLittleEndian), divisor != 0
      else { return nil }
      return Double(Int32(bitPattern: dividend)) / Double(Int32(bitPattern: divisor))
    }
    return nil
  }
}
