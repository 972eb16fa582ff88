#if AVIF || HEIF
/// What a picture is that belongs to another one (ISO/IEC 23008-12, 6.5.8).
enum AuxiliaryType {
  static let alpha: Set = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]
  static let depth: Set = ["urn:mpeg:mpegB:cicp:systems:auxiliary:depth", "urn:mpeg:hevc:2015:auxid:2"]
  static let gainMap: Set = ["urn:com:apple:photo:2020:aux:hdrgainmap"]

  /// The text up to a zero byte, behind the version.
  static func name(_ content: Bytes) -> String {
    String(decoding: (4..<max(4, content.count)).compactMap { content[$0] }.prefix { $0 != 0 }, as: UTF8.self)
  }
}
#endif
