#if HEIF && !IMAGEIO
package import HalcyonImaging
package import Foundation

/// Decodes the primary image of HEIC and HEIF files, with grids and alpha: through libde265 if it is coded in HEVC, as
/// nearly all are, through libheif if a grid has alpha or it is an overlay, through libavif if it is coded in AV1.
///
/// A grid, as phones save photos, is decoded a row of tiles at a time, so a smaller target size takes little memory, and
/// cancellation takes effect after a tile. Other images are decoded whole: a smaller target size temporarily takes the
/// memory of the full size, and cancellation takes effect after the image. The stored planes are resampled to the target
/// size before colour conversion, so only the pixels of the result are converted. Out-of-gamut colours are clipped to sRGB,
/// and high dynamic range is tone-mapped. Only the still image of a file with an image sequence is read. The Exif
/// orientation is ignored, as ISO/IEC 23008-12 requires.
package struct HEIFDecoder: ImageDecoder {
  private let renderer = PlanarRenderer()

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  /// HEIC only, which stands for HEIF with any of these codecs.
  package let formats: Set<ImageFormat> = [.heic]
  package var decodesRegions: Bool { true }

  /// Reads the boxes before the coded image data.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try header(bytes, isComplete: isComplete)?.info(.heic)
  }

  /// Decodes a file that contains its primary image at the target size; other parts may be missing or damaged.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let header = try header(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.heic) }
    let info = header.info(.heic)
    try options.limits.check(info.storedSize, format: .heic, isInRows: true)
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    return try bytes.withUnsafeBytes { buffer in
      let file = try MediaFile(Bytes(buffer), format: .heic)
      guard try file.hasWholeImage(prefersSequence: false), let metadata = file.metadata else {
        throw ImageDecodingError.truncated(.heic)
      }
      guard let items = HEVCItems(Bytes(buffer), metadata: metadata, header: header) else {
        // libheif 1.20 and newer reject files with other data after their image.
        let valid = UnsafeRawBufferPointer(rebasing: buffer[..<file.validCount])
        let table = try ItemTable(metadata, .heic)
        if table.imageItems.contains(where: { table.types[$0] == "av01" }) {
          return try decodeAV1(valid, header, options)
        }
        try HEVCItems.check(Bytes(buffer), metadata, table, options.limits)
        return try decodeWithHeif(valid, header, options)
      }
      var options = options
      let gainMap =
        options.dynamicRange == .high
        ? HEIFGainMap(Bytes(buffer), metadata, header, .heic, limits: options.limits) : nil
      // The map was made for the colours of the file.
      if gainMap != nil { options.colorSpace = .source }
      let plan = try DecodingPlan(info: info, isWide: header.isWide, isInRows: true, options: options)
      let tiles = try HEVCTiles(items, header: header, skipsLoopFilters: plan.skipsLoopFilter, options: options)
      let image = try renderer.image(tiles, header: header, plan: plan, isCancelled: options.isCancelled)
      guard let gainMap else { return image }
      return try gainMap.encoded.added(to: consume image, plan, options) { geometry in
        let items = HEVCItems(Bytes(buffer), metadata: metadata, header: gainMap.header, item: gainMap.item)
        guard let items else { throw ImageDecodingError.corrupt(.heic, reason: "its gain map is damaged") }
        let tiles = try HEVCTiles(items, header: gainMap.header, skipsLoopFilters: false, options: options)
        return try renderer.bitmap(
          tiles, header: gainMap.header, geometry, .heic, nil, isCancelled: options.isCancelled)
      }
    }
  }

  /// Decodes AV1 in a file whose brands do not say so.
  private func decodeAV1(
    _ buffer: UnsafeRawBufferPointer, _ header: HEIFImageHeader, _ options: DecodingOptions
  ) throws -> DecodedImage {
    #if AVIF
    let plan = try DecodingPlan(info: header.info(.heic), isWide: header.isWide, options: options)
    var file = Data(buffer)
    // The major brand follows the size and the type of the first box.
    file.replaceSubrange(8..<12, with: Data("avif".utf8))
    return try file.withUnsafeBytes { buffer in
      let reader = try AVIFReader(buffer, header: header, limits: options.limits)
      try reader.next()
      return try renderer.image(
        WholeSamples(reader.samples()), header: header, plan: plan, isCancelled: options.isCancelled)
    }
    #else
    throw ImageDecodingError.unsupportedFeature(.heic, feature: "AV1")
    #endif
  }

  private func decodeWithHeif(
    _ buffer: UnsafeRawBufferPointer, _ header: HEIFImageHeader, _ options: DecodingOptions
  ) throws -> DecodedImage {
    // libheif 1.15 rotates and crops alpha even with `ignore_transformations`, so images with alpha are transformed by
    // it.
    let decoded = header.hasAlpha ? header.transformed : header
    let plan = try DecodingPlan(info: decoded.info(.heic), isWide: header.isWide, options: options)
    let file = try HEIFImage(buffer, header: decoded, isTransformed: header.hasAlpha, limits: options.limits)
    let image = try renderer.image(
      WholeSamples(file.samples()), header: decoded, plan: plan, isCancelled: options.isCancelled)
    var info = header.info(.heic)
    info.droppedContent = image.info.droppedContent
    return DecodedImage(bitmap: image.bitmap, info: info)
  }

  /// Reads the boxes, and the Exif and XMP items that they point to.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    guard let header = try header(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.heic) }
    return try HEIFMetadata.metadata(of: bytes, header: header, format: .heic)
  }

  private func header(_ bytes: Data, isComplete: Bool) throws -> HEIFImageHeader? {
    try bytes.withUnsafeBytes {
      try HEIFImageHeaderParser.parse(Bytes($0), format: .heic, isComplete: isComplete, prefersSequence: false)
    }
  }
}
#endif
