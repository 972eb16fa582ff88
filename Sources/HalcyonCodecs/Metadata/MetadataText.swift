import Foundation
import HalcyonSupport

/// Text in the metadata of a file.
enum MetadataText {
  /// The longest text, in bytes.
  static let byteLimit = 4096

  /// The text up to its first null byte, as UTF-8 or else as Latin-1, cleaned; `nil` if nothing is left.
  static func text(_ bytes: Bytes) -> String? {
    let content = (0..<min(bytes.count, byteLimit)).lazy.compactMap { bytes[$0] }.prefix { $0 != 0 }
    let text =
      String(validUTF8: content) ?? String(String.UnicodeScalarView(content.map(Unicode.Scalar.init)))
    return cleaned(text)
  }

  /// The text without control characters, and spaces at its ends; `nil` if nothing is left.
  static func cleaned(_ text: String) -> String? {
    var scalars = text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    while scalars.last == " " { scalars.removeLast() }
    let start = scalars.firstIndex { $0 != " " } ?? scalars.endIndex
    return start == scalars.endIndex ? nil : String(scalars[start...])
  }
}

/// Dates in Exif, `2024:05:01 10:20:30`, and in XMP, `2024-05-01T10:20:30.25+02:00` (ISO 16684-1, 8.2.1.2), where all but
/// the year may be left out from the end.
enum MetadataDate {
  /// What the text states of the date, the time and the time zone; `nil` if it is no such date.
  static func components(_ text: String) -> DateComponents? {
    let bytes = Array(text.utf8.prefix(64))
    guard let year = number(bytes, at: 0, count: 4) else { return nil }
    var date = DateComponents(calendar: Calendar(identifier: .gregorian), year: year)
    if bytes.count == 4 { return date }
    guard let month = number(bytes, at: 5, count: 2), (1...12).contains(month) else { return nil }
    date.month = month
    if bytes.count == 7 { return date }
    guard let day = number(bytes, at: 8, count: 2), (1...31).contains(day) else { return nil }
    date.day = day
    if bytes.count == 10 { return date }
    guard let hour = number(bytes, at: 11, count: 2), hour < 24, let minute = number(bytes, at: 14, count: 2),
      minute < 60
    else { return nil }
    (date.hour, date.minute) = (hour, minute)
    guard bytes.count > 16, bytes[16] == UInt8(ascii: ":") else {
      date.timeZone = zone(bytes, at: 16)
      return date
    }
    guard let second = number(bytes, at: 17, count: 2), second <= 60 else { return nil }
    date.second = second
    var offset = 19
    if bytes.indices.contains(offset), bytes[offset] == UInt8(ascii: ".") {
      let digits = bytes[(offset + 1)...].prefix { (0x30...0x39).contains($0) }
      offset += 1 + digits.count
      let padded = String(decoding: digits.prefix(9), as: UTF8.self).padding(toLength: 9, withPad: "0", startingAt: 0)
      date.nanosecond = Int(padded)
    }
    date.timeZone = zone(bytes, at: offset)
    return date
  }

  private static func zone(_ bytes: [UInt8], at offset: Int) -> TimeZone? {
    guard bytes.indices.contains(offset) else { return nil }
    if bytes[offset] == UInt8(ascii: "Z") { return TimeZone(secondsFromGMT: 0) }
    guard [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[offset]),
      let hours = number(bytes, at: offset + 1, count: 2), hours <= 14,
      let minutes = number(bytes, at: offset + 4, count: 2), minutes < 60
    else { return nil }
    let seconds = (hours * 60 + minutes) * 60
    return TimeZone(secondsFromGMT: bytes[offset] == UInt8(ascii: "-") ? -seconds : seconds)
  }

  private static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int? {
    guard offset + count <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[offset..<offset + count] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte) - 0x30
    }
    return value
  }
}
