import Foundation

/// The description in an ICC profile (ICC.1:2022, 9.2.41), as text or in several languages.
enum ICCProfileName {
  private static let tagCountOffset = 128
  /// Real profiles have about 20.
  private static let tagLimit = 200
  private static let recordLimit = 200

  static func name(of profile: Data) -> String? {
    profile.withUnsafeBytes { name(in: Bytes($0)) }
  }

  private static func name(in profile: Bytes) -> String? {
    for index in 0..<min(profile.unsigned32(at: tagCountOffset) ?? 0, tagLimit) {
      let entry = tagCountOffset + 4 + index * 12
      guard profile[entry..<entry + 4].starts(with: "desc".utf8), let offset = profile.unsigned32(at: entry + 4),
        let byteCount = profile.unsigned32(at: entry + 8)
      else { continue }
      return text(profile[offset..<offset + byteCount])
    }
    return nil
  }

  private static func text(_ description: Bytes) -> String? {
    if description.starts(with: "mluc".utf8) { return localizedText(description) }
    guard description.starts(with: "desc".utf8), let byteCount = description.unsigned32(at: 8) else { return nil }
    return MetadataText.text(description[12..<12 + byteCount])
  }

  /// The English text, or else the first.
  private static func localizedText(_ description: Bytes) -> String? {
    let records = (0..<min(description.unsigned32(at: 8) ?? 0, recordLimit)).map { 16 + $0 * 12 }
    let english = records.first { description[$0..<$0 + 2].starts(with: "en".utf8) }
    guard let record = english ?? records.first, let byteCount = description.unsigned32(at: record + 4),
      let offset = description.unsigned32(at: record + 8)
    else { return nil }
    let text = description[offset..<offset + min(byteCount, MetadataText.byteLimit)]
    let units = stride(from: 0, to: text.count - 1, by: 2).compactMap { text.unsigned16(at: $0).map(UInt16.init) }
    return MetadataText.cleaned(String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
  }
}
