package import HalcyonImaging
import HalcyonSupport
package import Foundation

/// Decodes Windows icons and cursors: bitmaps with masks, and PNG.
///
/// An icon is one image in several sizes. It has the size of its largest entry; the smallest entry that is large enough
/// for the target size is decoded. Damaged entries are passed over as long as there are others. Own code instead of a
/// library: the format is a directory of bitmaps and PNG files.
package struct ICODecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share a cache for resampling, a few megabytes at most.
  package init() {}

  /// ICO only, which includes cursors.
  package let formats: Set<ImageFormat> = [.ico]
  package var decodesRegions: Bool { true }

  /// Reads the directory and the headers of the largest entry; of the next one if these are damaged.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try bytes.withUnsafeBytes { buffer in
      guard let directory = try ICODirectory.parse(Bytes(buffer)) else {
        if isComplete { throw ImageDecodingError.truncated(.ico) }
        return nil
      }
      return try directory.entries.firstSound { entry -> ImageInfo? in
        guard let image = try image(of: entry, in: Bytes(buffer)) else {
          if isComplete { throw ImageDecodingError.truncated(.ico) }
          return nil
        }
        return image.info
      }
    }
  }

  /// Decodes the entry that fits the target size, at that size; if it is damaged, the largest one that is sound.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.ico) }
    let outputSize = try DecodingPlan(info: info, options: options).geometry.outputSize
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    let entries = try bytes.withUnsafeBytes { buffer in
      try self.entries(for: options, outputSize: outputSize, in: Bytes(buffer))
    }
    return try entries.firstSound { entry in
      let image = try decode(entry, of: bytes, options: options)
      return entry.range == entries[0].range ? DecodedImage(bitmap: image.bitmap, info: info) : image
    }
  }

  private func decode(
    _ entry: ICODirectory.Entry, of bytes: Data, options: DecodingOptions
  ) throws -> DecodedImage {
    // The byte count in the directory may be too small; the entry itself determines its end.
    let content = bytes.dropFirst(entry.range.lowerBound)
    guard let stored = try content.withUnsafeBytes({ try ICOEntry.parse(Bytes($0)) }) else {
      throw ImageDecodingError.truncated(.ico)
    }
    let plan = try DecodingPlan(info: stored.info, options: options)
    let whole = try stored.bitmap(content, options: options)
    return try plan.image(colors: ColorMapping(colorSpace: whole.colorSpace)) {
      if plan.isWholeImage { return whole }
      return try plan.bitmap(
        isOpaque: whole.isOpaque, dynamicRange: whole.dynamicRange, graphs: graphs, isCancelled: options.isCancelled
      ) {
        BitmapRowSource(whole)
      }
    }
  }

  /// The entry that fits the target size, then all from the largest on, in whose pixels a region is.
  private func entries(
    for options: DecodingOptions, outputSize: PixelSize, in bytes: Bytes
  ) throws -> [ICODirectory.Entry] {
    guard let directory = try ICODirectory.parse(bytes) else { throw ImageDecodingError.truncated(.ico) }
    if options.region != nil { return directory.entries }
    var best = directory.entries[0]
    for entry in directory.entries.dropFirst()
    where entry.size.pixelCount < best.size.pixelCount
      && options.size.geometry(for: entry.size).outputSize == outputSize
    {
      if CancellationFlag.isCurrentCancelled { throw ImageDecodingError.cancelled }
      guard let image = try? image(of: entry, in: bytes), image.info.storedSize == entry.size else { continue }
      best = entry
    }
    return [best] + directory.entries
  }

  private func image(of entry: ICODirectory.Entry, in bytes: Bytes) throws(ImageDecodingError) -> ICOEntry? {
    try ICOEntry.parse(bytes[min(entry.range.lowerBound, bytes.count)..<bytes.count])
  }
}

/// The directory at the start of a Windows icon or cursor.
private struct ICODirectory {
  struct Entry {
    /// The size in the directory; the header of the entry overrides it.
    var size: PixelSize
    /// Bits per pixel; 0 if not stated, as in cursors.
    var bitCount: Int
    var range: Range<Int>
  }

  private static let headerByteCount = 6
  private static let entryByteCount = 16
  /// The most entries whose headers are read, the largest ones: icons have up to 30, but thousands can share their bytes.
  private static let entryLimit = 64

  /// The entries by falling number of pixels, then of bits per pixel.
  let entries: [Entry]

  /// The directory, or `nil` if it is incomplete.
  static func parse(_ bytes: Bytes) throws(ImageDecodingError) -> ICODirectory? {
    guard let reserved = bytes.unsigned16(at: 0, littleEndian: true),
      let kind = bytes.unsigned16(at: 2, littleEndian: true), let count = bytes.unsigned16(at: 4, littleEndian: true)
    else { return nil }
    guard reserved == 0, kind == 1 || kind == 2 else { throw .corrupt(.ico, reason: "its signature is wrong") }
    guard count > 0 else { throw .corrupt(.ico, reason: "it has no image") }
    guard bytes.count >= headerByteCount + count * entryByteCount else { return nil }
    var (entries, parts) = ([Entry](), HeaderParts(.ico))
    for index in 0..<count {
      try parts.add()
      if let entry = entry(index, of: bytes, isCursor: kind == 2) { entries.append(entry) }
    }
    let sorted = entries.sorted { ($0.size.pixelCount, $0.bitCount) > ($1.size.pixelCount, $1.bitCount) }
    return ICODirectory(entries: Array(sorted.prefix(entryLimit)))
  }

  private static func entry(_ index: Int, of bytes: Bytes, isCursor: Bool) -> Entry? {
    let start = headerByteCount + index * entryByteCount
    guard let width = bytes[start], let height = bytes[start + 1],
      let bitCount = bytes.unsigned16(at: start + 6, littleEndian: true),
      let byteCount = bytes.unsigned32(at: start + 8, littleEndian: true),
      let offset = bytes.unsigned32(at: start + 12, littleEndian: true)
    else { return nil }
    let size = PixelSize(width: width == 0 ? 256 : Int(width), height: height == 0 ? 256 : Int(height))
    return Entry(size: size, bitCount: isCursor ? 0 : bitCount, range: offset..<offset + byteCount)
  }
}

extension [ICODirectory.Entry] {
  /// The result for the first entry that is not damaged; if all are, the error of the first one.
  fileprivate func firstSound<Result>(_ body: (ICODirectory.Entry) throws -> Result) throws -> Result {
    var failure = ImageDecodingError.corrupt(.ico, reason: "it has no image")
    for (index, entry) in enumerated() {
      if CancellationFlag.isCurrentCancelled { throw ImageDecodingError.cancelled }
      do {
        return try body(entry)
      } catch let error as ImageDecodingError where error.concernsEntry {
        if index == 0 { failure = error }
      }
    }
    throw failure
  }
}

extension ImageDecodingError {
  /// Whether another entry of the icon may be sound.
  fileprivate var concernsEntry: Bool {
    switch self {
    case .corrupt, .truncated, .unsupportedFeature: true
    default: false
    }
  }
}
