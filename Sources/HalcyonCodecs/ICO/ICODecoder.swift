public import HalcyonImaging
public import Foundation

/// Decodes Windows icons and cursors: bitmaps with their masks, and PNG.
///
/// An icon is one picture in several sizes. It counts as large as its largest one; the smallest one that is large enough
/// for the wanted size is drawn. Written here: the format is a list in front of bitmaps and PNG files.
public struct ICODecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share what they know about resizing, a few megabytes at most.
  public init() {}

  /// ICO, which stands for cursors too.
  public let formats: Set<ImageFormat> = [.ico]

  /// Reads the directory and the headers of the largest picture.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let info = try bytes.withUnsafeBytes { buffer -> ImageInfo? in
      guard let directory = try ICODirectory.parse(Bytes(buffer)) else { return nil }
      return try picture(directory.entries[0], in: Bytes(buffer))?.info
    }
    if info == nil, isComplete { throw ImageDecodingError.truncated(.ico) }
    return info
  }

  /// Decodes the picture that suits the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.ico) }
    let wanted = try DecodingPlan(info: info, options: options).geometry.outputSize
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    let entry = try bytes.withUnsafeBytes { buffer in
      try self.entry(for: options.size, wanted: wanted, in: Bytes(buffer))
    }
    // The directory may say less than there is; a picture tells itself where it ends.
    let content = bytes.dropFirst(entry.range.lowerBound)
    guard let picture = try content.withUnsafeBytes({ try ICOEntry.parse(Bytes($0)) }) else {
      throw ImageDecodingError.truncated(.ico)
    }
    let plan = try DecodingPlan(info: picture.info, options: options)
    let whole = try plan.image { try picture.bitmap(content, options: options) }.bitmap
    if plan.isWholeImage { return DecodedImage(bitmap: whole, info: info) }
    let image = try plan.image {
      try plan.bitmap(isOpaque: whole.isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
        BitmapRowSource(whole)
      }
    }
    return DecodedImage(bitmap: image.bitmap, info: info)
  }

  private func entry(
    for size: TargetSize, wanted: PixelSize, in bytes: Bytes
  ) throws -> ICODirectory.Entry {
    guard let directory = try ICODirectory.parse(bytes) else { throw ImageDecodingError.truncated(.ico) }
    var best = directory.entries[0]
    for entry in directory.entries.dropFirst()
    where entry.size.pixelCount < best.size.pixelCount && size.geometry(for: entry.size).outputSize == wanted {
      guard let picture = try? picture(entry, in: bytes), picture.info.storedSize == entry.size else { continue }
      best = entry
    }
    return best
  }

  private func picture(_ entry: ICODirectory.Entry, in bytes: Bytes) throws(ImageDecodingError) -> ICOEntry? {
    try ICOEntry.parse(bytes[min(entry.range.lowerBound, bytes.count)..<bytes.count])
  }
}
