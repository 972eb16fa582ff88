/// The metadata of the original file that an encoded image gets.
///
/// The pixels are upright in any case, and the file states the colour space of the bitmap.
@nonexhaustive
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
  /// None: no place, no camera, no date.
  case strip
  /// The artist and the copyright, as Exif data.
  case copyright
  /// Exif and XMP, which may contain the place where a photograph was taken.
  ///
  /// The orientation is set to upright and the colour space to the bitmap's; the Exif thumbnail, which may show what
  /// has been cropped, is removed. JPEG has room for 64 KB each of Exif and XMP; larger blocks are left out.
  case keep

  /// The part of the metadata that an encoder gets, as ``EncodingOptions/metadata``.
  public func applied(to metadata: ImageMetadata) -> ImageMetadata? {
    switch self {
    case .strip: nil
    case .copyright: metadata.onlyCopyright
    case .keep: metadata
    }
  }
}
