package import HalcyonImaging
package import Foundation

/// Decodes JPEG: baseline and progressive, grey, colour and CMYK, 8 bits per sample.
///
/// Through libjpeg-turbo, and on Apple's systems through ImageIO. With libjpeg-turbo, a smaller size is decoded with a
/// scaled inverse DCT, and its planes are resampled to the target size while they are decoded: a baseline image takes the
/// memory of its result and a few rows. At half the size and less, ``ReducedPlaneSource`` decodes most files without the
/// coefficients that the size does not need. Damaged data is decoded as far as possible, as in browsers. Truncated data
/// throws `ImageDecodingError.truncated`, unless the options allow a partial image, whose missing part is grey.
package struct JPEGDecoder: ImageDecoder {
  let graphs = ResampleGraphCache()
  #if !IMAGEIO
  let colors = ColorTransformCache()
  let indexes = JPEGIndexes()
  /// The index of the only file of this decoder; `nil` if it has several.
  var index: JPEGIndex?
  #endif

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.jpeg]
  package var decodesRegions: Bool { true }

  /// Reads the segments up to the first scan; metadata is skipped by its length.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try parse(bytes)
    if header == nil, isComplete { throw ImageDecodingError.truncated(.jpeg) }
    return header?.info(with: isComplete ? bytes.withUnsafeBytes { header?.hiddenGainMap(in: $0) } : nil)
  }

  /// Reads the segments up to the first scan.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    guard let header = try parse(bytes) else { throw ImageDecodingError.truncated(.jpeg) }
    var metadata = ImageMetadata(info: header.info, isProgressive: header.isProgressive)
    try bytes.withUnsafeBytes { buffer in
      var blocks = MetadataBlocks()
      if let exif = header.exif { blocks.setExif(Bytes(buffer)[exif]) }
      blocks.xmp = header.xmp.map { Data(buffer[$0]) }
      if case .profile(let profile) = header.profileParts.profile(in: buffer) { blocks.colorProfile = profile }
      try metadata.add(blocks)
      guard let map = JPEGGainMap.find(header, in: buffer) else { return }
      metadata.info = header.info(with: map)
      if let map = map.encoded(for: header, limits: ImageLimits()) { metadata.info.dynamicRange = map.dynamicRange }
    }
    return metadata
  }

  func parse(_ bytes: Data) throws -> JPEGHeader? {
    try bytes.withUnsafeBytes { try JPEGHeaderParser.parse(Bytes($0)) }
  }
}
