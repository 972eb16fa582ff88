import Foundation
import HalcyonImaging

/// The metadata and the colour profile that encoded files get. Each format with a place for it has an extension in its folder.
struct WritableMetadata {
  let exif: Data?
  let xmp: Data?
  /// The ICC profile; `nil` for sRGB, and where the system writes it.
  let profile: Data?

  /// `nil` if there is nothing to write.
  ///
  /// - Parameter writesProfile: Whether the file needs a profile, unless the space is sRGB.
  init?(_ metadata: ImageMetadata?, _ space: ColorSpace = .sRGB, writesProfile: Bool = true) {
    exif = metadata.flatMap { metadata in
      metadata.exif.flatMap { ExifData.upright($0, space) } ?? ExifWriter.data(metadata)
    }
    xmp = metadata?.xmp.map { XMPPacket($0).ofNewFile }
    #if IMAGEIO
    profile = nil
    #else
    profile = writesProfile ? space.profile : nil
    #endif
    if exif == nil, xmp == nil, profile == nil { return nil }
  }

  /// An orientation only; `nil` if the pixels are upright.
  init?(_ orientation: ImageOrientation) {
    if orientation == .up { return nil }
    (exif, xmp, profile) = (ExifWriter.data(orientation), nil, nil)
  }
}

extension ImageEncoder {
  /// Throws if there is metadata to write: for encoders that write none.
  func rejectMetadata(_ options: EncodingOptions) throws(ImageEncodingError) {
    if WritableMetadata(options.metadata) != nil { throw .metadataNotSupported(format) }
  }
}
