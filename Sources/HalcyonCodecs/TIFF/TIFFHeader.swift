import HalcyonImaging
import HalcyonSupport

/// How a sample of a TIFF file is stored, and which values are between black and white.
enum TIFFSampleKind {
  /// From 0 to the greatest number.
  case unsigned
  /// From 0 to the greatest number; negative numbers are black.
  case signed
  /// From 0 to 1.
  case float
}

/// The image file directory (IFD) of the first page of a TIFF file (TIFF 6.0).
struct TIFFHeader {
  /// Values of the PhotometricInterpretation tag.
  enum Photometric {
    static let greys = [0, 1]
    static let rgb = 2
    static let palette = 3
    static let separated = 5
    static let yCbCr = 6
    static let cieLab = 8
    static let iccLab = 9
  }

  /// Where the directory is in the file.
  var directory = 0
  var size = PixelSize(width: 0, height: 0)
  var bitDepth = 1
  var compression = 1
  var photometric = 1
  var orientation = ImageOrientation.up
  var samplesPerPixel = 1
  /// Complex numbers are not told apart: libtiff refuses them.
  var sampleKind = TIFFSampleKind.unsigned
  var hasAlpha = false
  /// Whether colours are not multiplied by alpha (TIFF 6.0, section 18).
  var hasUnassociatedAlpha = false
  var isTiled = false
  /// The ICC profile in the file.
  var profile: Range<Int>?
  var hasFurtherPages = false
  /// The positions of the directories of other versions of the page.
  var subdirectories: [Int] = []
  /// The positions of the strips or tiles in the file, and how many bytes each has, as far as the bytes go.
  var partOffsets: [Int] = []
  var partByteCounts: [Int] = []
  /// Whether the bytes have all tables that the pixels need.
  var hasTables = true

  /// Whether a file with so many bytes ends before the pixels do.
  func isTruncated(byteCount: Int) -> Bool {
    !hasTables || zip(partOffsets, partByteCounts).contains { $0 + $1 > byteCount }
  }

  var info: ImageInfo {
    ImageInfo(
      format: .tiff, storedSize: size, orientation: orientation, hasAlpha: hasAlpha, colorModel: colorModel,
      bitDepth: bitDepth, hasColorProfile: profile != nil, droppedContent: hasFurtherPages ? [.pages] : [])
  }

  var isGrey: Bool { Photometric.greys.contains(photometric) }

  /// Whether a page has the same picture in fewer pixels, with the same kind of samples.
  fileprivate func isLarger(than page: TIFFHeader) -> Bool {
    guard page.size.width < size.width, page.size.height <= size.height else { return false }
    func kind(_ header: TIFFHeader) -> [Int] {
      [header.bitDepth, header.photometric, header.samplesPerPixel, header.orientation.rawValue]
        + [header.hasAlpha, header.hasUnassociatedAlpha].map { $0 ? 1 : 0 }
    }
    // The size may be rounded.
    let (across, down) = (size.width * page.size.height, size.height * page.size.width)
    return abs(across - down) <= max(size.width, size.height) && kind(page) == kind(self)
      && page.sampleKind == sampleKind && page.compression != 6
  }

  /// Throws for compression 6, which was never well defined.
  func rejectOldJPEG() throws(ImageDecodingError) {
    if compression == 6 { throw .unsupportedFeature(.tiff, feature: "old-style JPEG compression") }
  }

  private var colorModel: ColorModel {
    switch photometric {
    case let value where Photometric.greys.contains(value): .grey
    case Photometric.palette: .palette
    case Photometric.separated: .cmyk
    case Photometric.yCbCr: .yCbCr
    default: .rgb
    }
  }
}

/// Parses the directory of the first page of a TIFF or BigTIFF file, at any position.
struct TIFFHeaderParser {
  private enum Tag {
    static let newSubfileType = 254
    static let width = 256
    static let height = 257
    static let bitsPerSample = 258
    static let compression = 259
    static let photometric = 262
    static let orientation = 274
    static let colorMap = 320
    static let subdirectories = 330
    static let jpegTables = 347
    static let stripOffsets = 273
    static let samplesPerPixel = 277
    static let stripByteCounts = 279
    static let tileOffsets = 324
    static let tileByteCounts = 325
    static let extraSamples = 338
    static let sampleFormat = 339
    static let colorProfile = 34675

    static let tables = [
      bitsPerSample, colorMap, jpegTables, stripOffsets, stripByteCounts, tileOffsets, tileByteCounts,
    ]
  }

  private static let entryLimit = 4096
  /// The most directories that are searched for a page.
  private static let directoryLimit = 64
  /// The most smaller versions of a page that are read: each has half the sides of the one before.
  private static let smallerPageLimit = 16
  /// Larger numbers of samples per pixel count as this.
  private static let sampleLimit = 1 << 16
  /// The most strips or tiles that are checked: enough for a tiled image of 256 megapixels.
  private static let partLimit = 1 << 20

  private let bytes: Bytes
  private let littleEndian: Bool
  private let isBig: Bool

  /// The header, or `nil` if the bytes end before the directory does.
  static func parse(_ bytes: Bytes) throws(ImageDecodingError) -> TIFFHeader? {
    guard bytes.count >= 8 else { return nil }
    let parser = try TIFFHeaderParser(bytes)
    guard let first = parser.isBig ? parser.unsigned64(8) : parser.unsigned32(4),
      let directory = try parser.firstPage(from: first)
    else { return nil }
    return try parser.header(at: directory)
  }

  private init(_ bytes: Bytes) throws(ImageDecodingError) {
    littleEndian = bytes.starts(with: "II".utf8)
    guard littleEndian || bytes.starts(with: "MM".utf8),
      let version = bytes.unsigned16(at: 2, littleEndian: littleEndian), version == 42 || version == 43
    else { throw .corrupt(.tiff, reason: "its signature is wrong") }
    (self.bytes, isBig) = (bytes, version == 43)
  }

  /// The smaller versions of a page, which follow it or are in its sub-directories.
  static func smallerPages(of page: TIFFHeader, in bytes: Bytes) throws(ImageDecodingError) -> [TIFFHeader] {
    let parser = try TIFFHeaderParser(bytes)
    guard let entries = try parser.entries(at: page.directory) else { return [] }
    var directories = page.subdirectories
    var next = parser.next(after: entries)
    while let directory = next, directory != 0, directories.count < smallerPageLimit,
      try parser.isReducedResolution(directory), let entries = try parser.entries(at: directory)
    {
      directories.append(directory)
      next = parser.next(after: entries)
    }
    var pages: [TIFFHeader] = []
    for directory in directories where try parser.isReducedResolution(directory) {
      if let smaller = try? parser.header(at: directory), page.isLarger(than: smaller) { pages.append(smaller) }
    }
    return pages
  }

  private func header(at directory: Int) throws(ImageDecodingError) -> TIFFHeader? {
    guard let entries = try entries(at: directory), let next = next(after: entries) else { return nil }
    var header = TIFFHeader()
    header.directory = directory
    for entry in stride(from: entries.lowerBound, to: entries.upperBound, by: entryByteCount) {
      guard let tag = unsigned16(entry) else { return nil }
      guard try readEntry(tag, entry, into: &header) else { return nil }
    }
    guard header.size.width > 0, header.size.height > 0 else {
      throw .corrupt(.tiff, reason: "its size is \(header.size) pixels")
    }
    if next != 0 { header.hasFurtherPages = try !isReducedResolution(next) }
    return header
  }

  /// The first directory that is not a reduced-resolution version of another image, or else the first one; `nil` if the
  /// bytes end before it.
  private func firstPage(from first: Int) throws(ImageDecodingError) -> Int? {
    #if IMAGEIO
    // ImageIO reads the first directory.
    return first
    #else
    var directory = first
    for _ in 0..<Self.directoryLimit {
      guard let entries = try entries(at: directory), let next = next(after: entries) else { return nil }
      if try !isReducedResolution(directory) { return directory }
      if next == 0 { break }
      directory = next
    }
    return first
    #endif
  }

  /// The offset of the directory that follows one with these entries; 0 after the last.
  private func next(after entries: Range<Int>) -> Int? {
    isBig ? unsigned64(entries.upperBound) : unsigned32(entries.upperBound)
  }

  private var entryByteCount: Int { isBig ? 20 : 12 }

  private func entries(at directory: Int) throws(ImageDecodingError) -> Range<Int>? {
    if CancellationFlag.isCurrentCancelled { throw .cancelled }
    guard let count = isBig ? unsigned64(directory) : unsigned16(directory) else { return nil }
    guard count <= Self.entryLimit else { throw .corrupt(.tiff, reason: "a directory has \(count) entries") }
    let start = directory + (isBig ? 8 : 2)
    return start..<start + count * entryByteCount
  }

  /// Returns `false` if the bytes end before a value that is stored outside the entry.
  private func readEntry(_ tag: Int, _ entry: Int, into header: inout TIFFHeader) throws(ImageDecodingError) -> Bool {
    if Tag.tables.contains(tag), !isWhole(entry) { header.hasTables = false }
    switch tag {
    case Tag.width: header.size.width = value(entry) ?? 0
    case Tag.height: header.size.height = value(entry) ?? 0
    case Tag.compression: header.compression = value(entry) ?? 1
    case Tag.photometric: header.photometric = value(entry) ?? 1
    case Tag.orientation: header.orientation = value(entry).flatMap(ImageOrientation.init(rawValue:)) ?? .up
    case Tag.samplesPerPixel: header.samplesPerPixel = min(value(entry) ?? 1, Self.sampleLimit)
    case Tag.sampleFormat: header.sampleKind = [2: .signed, 3: .float][value(entry) ?? 1] ?? .unsigned
    case Tag.extraSamples:
      header.hasAlpha = [1, 2].contains(value(entry) ?? 0)
      header.hasUnassociatedAlpha = value(entry) == 2
    case Tag.colorProfile: header.profile = range(entry)
    case Tag.subdirectories:
      if header.subdirectories.isEmpty { header.subdirectories = try values(entry, Self.smallerPageLimit) }
    // Only the first, like libtiff: a small file could repeat one for its whole length.
    case Tag.stripOffsets, Tag.tileOffsets:
      if tag == Tag.tileOffsets { header.isTiled = true }
      if header.partOffsets.isEmpty { header.partOffsets = try values(entry) }
    case Tag.stripByteCounts, Tag.tileByteCounts:
      if header.partByteCounts.isEmpty { header.partByteCounts = try values(entry) }
    case Tag.bitsPerSample:
      guard let depth = value(entry) else { return false }
      header.bitDepth = max(1, min(depth, 64))
    default: break
    }
    return true
  }

  /// Whether the directory at an offset is a reduced-resolution version of another image.
  private func isReducedResolution(_ directory: Int) throws(ImageDecodingError) -> Bool {
    guard let entries = try entries(at: directory) else { return false }
    for entry in stride(from: entries.lowerBound, to: entries.upperBound, by: entryByteCount) {
      guard let tag = unsigned16(entry) else { return false }
      if tag == Tag.newSubfileType { return (value(entry) ?? 0) & 1 == 1 }
    }
    return false
  }

  /// The first integer of an entry.
  private func value(_ entry: Int) -> Int? { integers(entry).flatMap { integer($0.start, width: $0.width) } }

  /// The integers of an entry, at most a number, as far as the bytes go.
  private func values(_ entry: Int, _ limit: Int = partLimit) throws(ImageDecodingError) -> [Int] {
    guard let (start, width, count) = integers(entry) else { return [] }
    var (values, parts) = ([Int](), HeaderParts(.tiff, limit: .max))
    for index in 0..<min(count, limit) {
      try parts.add()
      guard let value = integer(start + index * width, width: width) else { break }
      values.append(value)
    }
    return values
  }

  /// Whether the bytes have all values of an entry.
  private func isWhole(_ entry: Int) -> Bool {
    guard let type = unsigned16(entry + 2), let width = [1: 1, 3: 2, 4: 4, 7: 1, 16: 8][type],
      let values = range(entry, width: width)
    else { return false }
    return values.count <= (isBig ? 8 : 4) || values.upperBound <= bytes.count
  }

  /// The position, width and number of the integers of an entry.
  private func integers(_ entry: Int) -> (start: Int, width: Int, count: Int)? {
    let countWidth = isBig ? 8 : 4
    guard let type = unsigned16(entry + 2), let width = [1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8][type],
      let count = isBig ? unsigned64(entry + 4) : unsigned32(entry + 4)
    else { return nil }
    let inline = entry + 4 + countWidth
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: width)
    guard !overflow else { return nil }
    guard let start = byteCount <= countWidth ? inline : isBig ? unsigned64(inline) : unsigned32(inline) else {
      return nil
    }
    return (start, width, count)
  }

  private func integer(_ start: Int, width: Int) -> Int? {
    switch width {
    case 1: bytes[start].map(Int.init)
    case 2: unsigned16(start)
    case 4: unsigned32(start)
    default: unsigned64(start)
    }
  }

  /// The position of the values of an entry that are stored outside the entry, of so many bytes each.
  private func range(_ entry: Int, width: Int = 1) -> Range<Int>? {
    let countWidth = isBig ? 8 : 4
    guard let count = isBig ? unsigned64(entry + 4) : unsigned32(entry + 4),
      let start = isBig ? unsigned64(entry + 4 + countWidth) : unsigned32(entry + 4 + countWidth)
    else { return nil }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: width)
    let (end, isTooFar) = start.addingReportingOverflow(byteCount)
    return overflow || isTooFar ? nil : start..<end
  }

  private func unsigned16(_ offset: Int) -> Int? { bytes.unsigned16(at: offset, littleEndian: littleEndian) }

  private func unsigned32(_ offset: Int) -> Int? { bytes.unsigned32(at: offset, littleEndian: littleEndian) }

  private func unsigned64(_ offset: Int) -> Int? { bytes.unsigned64(at: offset, littleEndian: littleEndian) }
}
