/// The brands at the start of an ISO base media file (ISO/IEC 14496-12, 4.3).
struct FileTypeBox {
  private static let avifBrands: Set = ["avif", "avis"]
  private static let heicBrands: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
  /// Pictures in any codec, as the following brands say.
  private static let openBrands: Set = ["mif1", "mif2", "mif3", "msf1", "miaf", "1pic", "tmap"]

  private let majorBrand: String
  private let compatibleBrands: Set<String>
  /// Whether all brands are at hand.
  private let isWhole: Bool

  /// `nil` where the bytes start with no such box.
  init?(_ head: [UInt8]) {
    guard head.dropFirst(4).starts(with: "ftyp".utf8), head.count >= 12 else { return nil }
    let byteCount = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let end = min(byteCount, ImageFormat.sniffByteCount)
    majorBrand = Self.brand(head, at: 8)
    compatibleBrands = Set(stride(from: 16, to: min(end, head.count) - 3, by: 4).map { Self.brand(head, at: $0) })
    isWhole = head.count >= end
  }

  /// What the first brand says, else the others; HEIC where they name no codec.
  var format: ImageFormat? {
    if Self.avifBrands.contains(majorBrand) { return .avif }
    if Self.heicBrands.contains(majorBrand) { return .heic }
    if !compatibleBrands.isDisjoint(with: Self.avifBrands) { return .avif }
    if !compatibleBrands.isDisjoint(with: Self.heicBrands) { return .heic }
    return isWhole && Self.openBrands.contains(majorBrand) ? .heic : nil
  }

  private static func brand(_ head: [UInt8], at offset: Int) -> String {
    String(decoding: head[offset..<offset + 4], as: UTF8.self)
  }
}
