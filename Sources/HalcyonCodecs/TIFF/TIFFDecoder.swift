package import HalcyonImaging
package import Foundation

/// Decodes the first page of TIFF and BigTIFF files that is no reduced copy of another one, in every compression and colour
/// space that libtiff supports, or on Apple's systems ImageIO.
///
/// Floating-point samples are from 0 to 1; negative samples are black. With libtiff, strips and rows of tiles are resampled
/// one by one, so decoding takes the memory of the largest of them, and smaller sizes are made of a reduced copy of the page
/// (NewSubfileType, SubIFDs) that is large enough. Old-style JPEG (compression 6), which was never well
/// defined, is not supported.
package struct TIFFDecoder: ImageDecoder {
  let graphs = ResampleGraphCache()
  #if !IMAGEIO
  let colors = ColorTransformCache()
  #endif

  /// Creates a decoder; its copies share caches for resampling and colour conversion, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.tiff]
  package var decodesRegions: Bool { true }

  /// Reads the image file directory of the page, which many encoders write at the end of the file.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try TIFFHeaderParser.parse(Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.tiff) }
    return header?.info
  }

  /// Reads the fields of the first directory, which are also Exif's. ``ImageMetadata/exif`` is `nil`: it would be the
  /// whole file.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    try bytes.withUnsafeBytes { buffer in
      guard let header = try TIFFHeaderParser.parse(Bytes(buffer)) else { throw ImageDecodingError.truncated(.tiff) }
      var metadata = ImageMetadata(info: header.info)
      // BigTIFF has another header.
      ExifData(Bytes(buffer))?.read(into: &metadata)
      try metadata.add(
        MetadataBlocks(colorProfile: header.profile.map { Data(buffer[$0.clamped(to: 0..<buffer.count)]) }))
      return metadata
    }
  }
}
