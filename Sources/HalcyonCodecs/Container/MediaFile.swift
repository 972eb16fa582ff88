import HalcyonImaging

/// The top-level boxes of an ISO base media file, as far as the bytes go.
struct MediaFile {
  private static let sequenceBrands: Set = ["avis", "hevc", "hevx", "msf1"]

  private(set) var majorBrand = ""
  /// The complete `meta` box, which lists the items.
  private(set) var metadata: Bytes?
  /// The complete `moov` box, which lists the tracks.
  private(set) var movie: Bytes?
  /// Whether the bytes end before the end of a box, or before the first one.
  private(set) var endsEarly = true
  /// The number of bytes before the first box with an invalid size; in most files all.
  private(set) var validCount: Int
  private let bytes: Bytes
  private let format: ImageFormat
  private var brands: Set<String> = []

  /// Reads the boxes up to the first invalid or incomplete one.
  ///
  /// - Throws: `ImageDecodingError.corrupt` if the bytes before a list of items or tracks are not a sequence of boxes. What
  ///   follows the lists may be anything: phones and editors append films, padding and data of their own.
  init(_ bytes: Bytes, format: ImageFormat) throws(ImageDecodingError) {
    self.bytes = bytes
    self.format = format
    validCount = bytes.count
    var (offset, parts) = (0, HeaderParts(format))
    while offset < bytes.count {
      try parts.add()
      guard let box = Box(bytes, at: offset) else {
        endsEarly = offset + 16 > bytes.count
        guard endsEarly || metadata != nil || movie != nil else {
          throw .corrupt(format, reason: "the box at byte \(offset) has an invalid size")
        }
        validCount = offset
        return
      }
      endsEarly = box.end > bytes.count
      if !endsEarly { record(box) }
      offset = box.end
    }
  }

  /// Whether a brand announces an image sequence.
  var hasSequenceBrand: Bool { !brands.isDisjoint(with: Self.sequenceBrands) }

  /// Whether the major brand says that the file is an image sequence.
  var isSequence: Bool { Self.sequenceBrands.contains(majorBrand) }

  /// The image sequence, if a brand announces one and the bytes contain its list.
  var sequence: HEIFImageSequence? { hasSequenceBrand ? movie.flatMap(HEIFImageSequence.init) : nil }

  /// Whether the bytes contain all data of the image, whatever else of the file is missing.
  ///
  /// - Parameter prefersSequence: As for ``HEIFImageHeaderParser``.
  func hasWholeImage(prefersSequence: Bool) throws(ImageDecodingError) -> Bool {
    if prefersSequence, isSequence, let sequence { return sequence.dataEnd <= bytes.count }
    guard let metadata else { return false }
    let locations = ItemLocations(bytes, metadata)
    return try ItemTable(metadata, format).imageItems.isDisjoint(with: locations.cutItems)
  }

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
