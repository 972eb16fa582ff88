import Foundation

extension ExifData {
  private static let makerNoteSignature = Array("Apple iOS\0".utf8)
  /// The fields of the note that describe the gain map.
  private static let (headroomTag, gainTag) = (33, 48)

  /// The headroom at which the gain map of an Apple camera applies as a whole, in stops; `nil` without its maker note.
  ///
  /// The formula is that of Apple's article "Applying Apple HDR effect to your photos".
  var appleHeadroom: Double? {
    guard let details = subdirectory(Tag.exifDirectory, in: directory), let entry = entry(Tag.makerNote, in: details),
      let count = bytes.unsigned32(at: entry + 4, littleEndian: isLittleEndian),
      let start = bytes.unsigned32(at: entry + 8, littleEndian: isLittleEndian)
    else { return nil }
    let note = bytes[start..<start + count]
    guard note.starts(with: Self.makerNoteSignature), let order = note.text(at: 12, count: 2) else { return nil }
    let values = ExifData(note, isLittleEndian: order == "II", directory: 14)
    guard let headroom = values.signedFraction(Self.headroomTag, in: values.directory),
      let gain = values.signedFraction(Self.gainTag, in: values.directory)
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
}
