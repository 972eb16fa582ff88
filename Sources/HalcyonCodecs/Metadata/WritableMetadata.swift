import Foundation
import HalcyonImaging

/// The metadata that encoded files get. Each format with a place for it has an extension in its folder.
struct WritableMetadata {
  let exif: Data?
  let xmp: Data?

  /// `nil` if there is nothing to write.
  init?(_ metadata: ImageMetadata?) {
    guard let metadata else { return nil }
    exif = metadata.exif.flatMap(ExifData.upright) ?? ExifWriter.data(metadata)
    xmp = metadata.xmp.map { XMPPacket($0).upright }
    if exif == nil, xmp == nil { return nil }
  }
}

extension ImageEncoder {
  /// Throws if there is metadata to write, which this encoder does not do.
  func rejectMetadata(_ options: EncodingOptions) throws(ImageEncodingError) {
    if WritableMetadata(options.metadata) != nil { throw .metadataNotSupported(format) }
  }
}
