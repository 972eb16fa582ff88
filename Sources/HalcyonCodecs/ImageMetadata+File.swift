public import Foundation
public import HalcyonImaging

extension ImageMetadata {
  /// Reads the metadata of a complete image file, in the formats of ``StandardCodecs/decoders``.
  ///
  /// Nothing is decoded. Exif, XMP and ICC profile are read from JPEG, PNG, WebP, TIFF, AVIF and HEIC; of the other
  /// formats only what their headers say. Damaged metadata is left out.
  ///
  /// - Throws: ``ImageDecodingError`` if this is not an image of a format that this build reads.
  public init(of data: Data) throws {
    self = try StandardCodecs.decoder(of: data).metadata(of: data)
  }
}
