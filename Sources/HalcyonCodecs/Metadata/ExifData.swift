import Foundation
import HalcyonImaging
import HalcyonSupport

/// The fields of Exif data (Exif 2.32), which starts with a TIFF header.
///
/// Four directories are read, each once and from the position that its parent states: a chain of directories that loops
/// has no effect.
struct ExifData {
  enum Tag {
    static let make = 0x010F
    static let model = 0x0110
    static let orientation = 0x0112
    static let artist = 0x013B
    static let copyright = 0x8298
    static let exifDirectory = 0x8769
    static let locationDirectory = 0x8825
    static let latitude = 0x0002
    static let exposureTime = 0x829A
    static let fNumber = 0x829D
    static let isoSpeed = 0x8827
    static let focalLength = 0x920A
    static let lensMake = 0xA433
    static let lensModel = 0xA434
    static let makerNote = 0x927C
    static let dateTimeOriginal = 0x9003
    static let dateTimeDigitized = 0x9004
    static let offsetTimeOriginal = 0x9011
    static let offsetTimeDigitized = 0x9012
    static let subsecondsOriginal = 0x9291
    static let subsecondsDigitized = 0x9292
    static let colorSpace = 0xA001
    static let interoperabilityDirectory = 0xA005
    static let interoperabilityIndex = 0x0001
    static let thumbnailOffset = 0x0201
    static let thumbnailByteCount = 0x0202
  }

  private static let textType = 2
  private static let shortType = 3
  private static let fractionType = 5
  private static let signedFractionType = 10

  let bytes: Bytes
  let isLittleEndian: Bool
  /// The position of the first directory, IFD0.
  let directory: Int

  /// `nil` if the bytes do not start with a TIFF header.
  init?(_ bytes: Bytes) {
    isLittleEndian = bytes.starts(with: "II".utf8)
    guard isLittleEndian || bytes.starts(with: "MM".utf8),
      bytes.unsigned16(at: 2, littleEndian: isLittleEndian) == 42,
      let directory = bytes.unsigned32(at: 4, littleEndian: isLittleEndian)
    else { return nil }
    self.bytes = bytes
    self.directory = directory
  }

  /// A directory of other bytes, from which its values are counted.
  init(_ bytes: Bytes, isLittleEndian: Bool, directory: Int) {
    (self.bytes, self.isLittleEndian, self.directory) = (bytes, isLittleEndian, directory)
  }

  /// `nil` when it is missing or invalid.
  var orientation: ImageOrientation? { short(Tag.orientation, in: directory).flatMap(ImageOrientation.init(rawValue:)) }

  /// The position of the JPEG thumbnail in the second directory (IFD1) of Exif data (Exif 2.32, 4.5.5).
  var thumbnail: Range<Int>? {
    guard let count = bytes.unsigned16(at: directory, littleEndian: isLittleEndian),
      let second = bytes.unsigned32(at: directory + 2 + count * 12, littleEndian: isLittleEndian), second > 0,
      let offset = subdirectory(Tag.thumbnailOffset, in: second),
      let byteCount = subdirectory(Tag.thumbnailByteCount, in: second), byteCount > 0,
      offset + byteCount <= bytes.count
    else { return nil }
    return offset..<offset + byteCount
  }

  /// Replaces fields of `metadata` by the fields that Exif data has.
  func read(into metadata: inout ImageMetadata) {
    metadata.cameraMake = text(Tag.make, in: directory) ?? metadata.cameraMake
    metadata.cameraModel = text(Tag.model, in: directory) ?? metadata.cameraModel
    metadata.artist = text(Tag.artist, in: directory) ?? metadata.artist
    metadata.copyright = text(Tag.copyright, in: directory) ?? metadata.copyright
    if let location = subdirectory(Tag.locationDirectory, in: directory), entry(Tag.latitude, in: location) != nil {
      metadata.hasLocation = true
    }
    guard let details = subdirectory(Tag.exifDirectory, in: directory) else { return }
    readExposure(in: details, into: &metadata)
    metadata.captureDate = captureDate(in: details) ?? metadata.captureDate
    metadata.colorSpace = colorSpace(in: details)?.rawValue ?? metadata.colorSpace
  }

  private func readExposure(in directory: Int, into metadata: inout ImageMetadata) {
    metadata.lens = text(Tag.lensModel, in: directory) ?? text(Tag.lensMake, in: directory)
    metadata.exposureTime = fraction(Tag.exposureTime, in: directory)
    metadata.fNumber = fraction(Tag.fNumber, in: directory)
    metadata.focalLength = fraction(Tag.focalLength, in: directory)
    metadata.isoSpeed = short(Tag.isoSpeed, in: directory).flatMap { $0 > 0 ? $0 : nil }
  }

  private func captureDate(in directory: Int) -> DateComponents? {
    let (date, zone, fraction) =
      text(Tag.dateTimeOriginal, in: directory) != nil
      ? (Tag.dateTimeOriginal, Tag.offsetTimeOriginal, Tag.subsecondsOriginal)
      : (Tag.dateTimeDigitized, Tag.offsetTimeDigitized, Tag.subsecondsDigitized)
    guard let date = text(date, in: directory) else { return nil }
    let subseconds = text(fraction, in: directory).map { "." + $0 } ?? ""
    return MetadataDate.components(date + subseconds + (text(zone, in: directory) ?? ""))
      ?? MetadataDate.components(date)
  }

  /// The colour space tag has no value for Adobe RGB, which cameras name by an interoperability index.
  private func colorSpace(in directory: Int) -> ColorSpaceHint? {
    if short(Tag.colorSpace, in: directory) == 1 { return .sRGB }
    guard let rules = subdirectory(Tag.interoperabilityDirectory, in: directory) else { return nil }
    return text(Tag.interoperabilityIndex, in: rules) == "R03" ? .adobeRGB : nil
  }

  /// The position of the 12 bytes of an entry; `nil` without one, or once the work that it is for has been cancelled.
  func entry(_ tag: Int, in directory: Int) -> Int? {
    guard let count = bytes.unsigned16(at: directory, littleEndian: isLittleEndian) else { return nil }
    for index in 0..<count {
      if index & 0x3FF == 0x3FF, CancellationFlag.isCurrentCancelled { return nil }
      let entry = directory + 2 + index * 12
      guard let found = bytes.unsigned16(at: entry, littleEndian: isLittleEndian) else { return nil }
      if found == tag { return entry }
    }
    return nil
  }

  func subdirectory(_ tag: Int, in directory: Int) -> Int? {
    entry(tag, in: directory).flatMap { bytes.unsigned32(at: $0 + 8, littleEndian: isLittleEndian) }
  }

  private func short(_ tag: Int, in directory: Int) -> Int? {
    guard let entry = entry(tag, in: directory),
      bytes.unsigned16(at: entry + 2, littleEndian: isLittleEndian) == Self.shortType
    else { return nil }
    return bytes.unsigned16(at: entry + 8, littleEndian: isLittleEndian)
  }

  /// A positive fraction.
  private func fraction(_ tag: Int, in directory: Int) -> Double? {
    guard let (dividend, divisor) = quotient(tag, type: Self.fractionType, in: directory), dividend > 0, divisor > 0
    else { return nil }
    return Double(dividend) / Double(divisor)
  }

  func signedFraction(_ tag: Int, in directory: Int) -> Double? {
    guard let (dividend, divisor) = quotient(tag, type: Self.signedFractionType, in: directory), divisor != 0 else {
      return nil
    }
    return Double(Int32(bitPattern: dividend)) / Double(Int32(bitPattern: divisor))
  }

  private func quotient(_ tag: Int, type: Int, in directory: Int) -> (dividend: UInt32, divisor: UInt32)? {
    guard let entry = entry(tag, in: directory),
      bytes.unsigned16(at: entry + 2, littleEndian: isLittleEndian) == type,
      let position = bytes.unsigned32(at: entry + 8, littleEndian: isLittleEndian),
      let dividend = bytes.bits32(at: position, littleEndian: isLittleEndian),
      let divisor = bytes.bits32(at: position + 4, littleEndian: isLittleEndian)
    else { return nil }
    return (dividend, divisor)
  }

  func text(_ tag: Int, in directory: Int) -> String? {
    guard let entry = entry(tag, in: directory),
      bytes.unsigned16(at: entry + 2, littleEndian: isLittleEndian) == Self.textType,
      let count = bytes.unsigned32(at: entry + 4, littleEndian: isLittleEndian)
    else { return nil }
    // Up to four bytes are in the entry itself.
    let position = count <= 4 ? entry + 8 : bytes.unsigned32(at: entry + 8, littleEndian: isLittleEndian)
    guard let position else { return nil }
    return MetadataText.text(bytes[position..<position + count])
  }
}
