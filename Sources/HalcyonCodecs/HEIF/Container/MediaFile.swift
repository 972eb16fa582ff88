#if AVIF || HEIF
import HalcyonImaging

/// The boxes at the top of an ISO base media file, as far as its first bytes go.
struct MediaFile {
  private static let sequenceBrands: Set = ["avis", "hevc", "hevx", "msf1"]

  private(set) var majorBrand = ""
  /// The table of pictures, whole.
  private(set) var metadata: Bytes?
  /// The table of tracks, whole.
  private(set) var movie: Bytes?
  /// Whether there are boxes, and the last one ends inside the bytes.
  private(set) var isWhole = false
  private var brands: Set<String> = []

  /// - Throws: `ImageDecodingError.corrupt` where the bytes are no row of boxes.
  init(_ bytes: Bytes, format: ImageFormat) throws(ImageDecodingError) {
    var offset = 0
    while offset < bytes.count {
      guard let box = Box(bytes, at: offset) else {
        guard offset + 16 > bytes.count else {
          throw .corrupt(format, reason: "the box at byte \(offset) has no possible size")
        }
        isWhole = false
        return
      }
      isWhole = box.end <= bytes.count
      if isWhole { keep(box) }
      offset = box.end
    }
  }

  /// Whether the file says that it has a sequence of pictures.
  var claimsSequence: Bool { !brands.isDisjoint(with: Self.sequenceBrands) }

  /// Whether the pictures of the sequence are what the file is for.
  var isSequence: Bool { Self.sequenceBrands.contains(majorBrand) }

  private mutating func keep(_ box: Box) {
    switch box.type {
    case "ftyp" where brands.isEmpty:
      majorBrand = box.content.text(at: 0, count: 4) ?? ""
      // The minor version is no brand, but cannot look like one of ours by chance.
      brands = Set(stride(from: 0, to: box.content.count, by: 4).compactMap { box.content.text(at: $0, count: 4) })
    case "meta" where metadata == nil: metadata = box.content
    case "moov" where movie == nil: movie = box.content
    default: break
    }
  }
}
#endif
