import HalcyonImaging

/// The top-level boxes of an ISO base media file, as far as the bytes go.
struct MediaFile {
  private static let sequenceBrands: Set = ["avis", "hevc", "hevx", "msf1"]

  private(set) var majorBrand = ""
  /// The complete `meta` box, which lists the items.
  private(set) var metadata: Bytes?
  /// The complete `moov` box, which lists the tracks.
  private(set) var movie: Bytes?
  /// Whether there are boxes and the last one is complete.
  private(set) var isWhole = false
  private var brands: Set<String> = []

  /// - Throws: `ImageDecodingError.corrupt` if the bytes are not a sequence of boxes.
  init(_ bytes: Bytes, format: ImageFormat) throws(ImageDecodingError) {
    var offset = 0
    while offset < bytes.count {
      guard let box = Box(bytes, at: offset) else {
        guard offset + 16 > bytes.count else {
          throw .corrupt(format, reason: "the box at byte \(offset) has an invalid size")
        }
        isWhole = false
        return
      }
      isWhole = box.end <= bytes.count
      if isWhole { record(box) }
      offset = box.end
    }
  }

  /// Whether a brand announces an image sequence.
  var hasSequenceBrand: Bool { !brands.isDisjoint(with: Self.sequenceBrands) }

  /// Whether the major brand says that the file is an image sequence.
  var isSequence: Bool { Self.sequenceBrands.contains(majorBrand) }

  private mutating func record(_ box: Box) {
    switch box.type {
    case "ftyp" where brands.isEmpty:
      majorBrand = box.content.text(at: 0, count: 4) ?? ""
      // This includes the minor version, which is not a brand but cannot look like one of these by chance.
      brands = Set(stride(from: 0, to: box.content.count, by: 4).compactMap { box.content.text(at: $0, count: 4) })
    case "meta" where metadata == nil: metadata = box.content
    case "moov" where movie == nil: movie = box.content
    default: break
    }
  }
}
