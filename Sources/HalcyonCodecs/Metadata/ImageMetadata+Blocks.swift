import Foundation
import HalcyonImaging
import HalcyonSupport

extension ImageMetadata {
  /// Adds the blocks of a file and the fields in them; Exif takes precedence over XMP.
  ///
  /// - Throws: `ImageDecodingError.cancelled`, since the readers of Exif and XMP end early then.
  mutating func add(_ blocks: MetadataBlocks) throws(ImageDecodingError) {
    exif = blocks.exif
    xmp = blocks.xmp.flatMap { $0.count <= XMPPacket.byteLimit ? $0 : nil }
    colorProfile = blocks.colorProfile.flatMap { $0.count <= ColorDescription.profileByteLimit ? $0 : nil }
    hasWideGamut = hasWideGamut || colorProfile.map { ColorDescription.profile($0).isWide } ?? false
    colorProfileName = colorProfile.flatMap(ICCProfileName.name)
    exif?.withUnsafeBytes { ExifData(Bytes($0))?.read(into: &self) }
    if let xmp { XMPPacket(xmp).read(into: &self) }
    if CancellationFlag.isCurrentCancelled { throw .cancelled }
  }
}

/// The blocks of metadata in a file.
struct MetadataBlocks {
  /// Begins with a TIFF header.
  var exif: Data?
  var xmp: Data?
  var colorProfile: Data?

  /// Sets the Exif data, without the prefix that it has in JPEG files and that some programs write elsewhere.
  mutating func setExif(_ bytes: Bytes) {
    let prefix = Array("Exif\0\0".utf8)
    let content = bytes.starts(with: prefix) ? bytes[prefix.count..<bytes.count] : bytes
    if exif == nil, ExifData(content) != nil { exif = content.data }
  }
}
