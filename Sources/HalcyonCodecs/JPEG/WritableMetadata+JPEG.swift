import Foundation

extension WritableMetadata {
  /// The most bytes of a segment, without its marker and its length.
  private static let segmentByteLimit = 65_533

  /// A JPEG file with the metadata in segments after the JFIF header.
  func added(toJPEG file: Data) -> Data {
    var segments = Data()
    // The profile fits in one part.
    let profilePrefix = JPEGHeader.profilePrefix + [1, 1]
    for (marker, prefix, content) in [
      (0xE1, JPEGHeader.exifPrefix, exif), (0xE1, JPEGHeader.xmpPrefix, xmp), (0xE2, profilePrefix, profile),
    ] as [(UInt8, [UInt8], Data?)] {
      guard let content, prefix.count + content.count <= Self.segmentByteLimit else { continue }
      let byteCount = prefix.count + content.count + 2
      segments.append(contentsOf: [0xFF, marker, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)] + prefix)
      segments.append(content)
    }
    let bytes = [UInt8](file.prefix(6))
    let hasJFIF = bytes.count == 6 && bytes[3] == 0xE0
    let end = hasJFIF ? 4 + Int(bytes[4]) << 8 + Int(bytes[5]) : 2
    return file.prefix(end) + segments + file.dropFirst(end)
  }
}
