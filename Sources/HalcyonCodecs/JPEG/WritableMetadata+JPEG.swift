import Foundation

extension WritableMetadata {
  var exifAddition: JPEGSegments.Addition { JPEGSegments.Addition(0xE1, JPEGHeader.exifPrefix, exif) }
  var xmpAddition: JPEGSegments.Addition { JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, xmp) }
  /// The profile fits in one part.
  var profileAddition: JPEGSegments.Addition {
    JPEGSegments.Addition(0xE2, JPEGHeader.profilePrefix + [1, 1], profile)
  }

  /// A JPEG file with the metadata in segments after the JFIF header.
  func added(toJPEG file: Data) -> Data {
    JPEGSegments.adding([exifAddition, xmpAddition, profileAddition], to: file).file
  }
}

extension JPEGSegments {
  /// A segment to write.
  struct Addition {
    /// The most bytes of a segment, without its marker and its length.
    private static let byteLimit = 65_533

    let marker: UInt8
    let prefix: [UInt8]
    let content: Data?

    init(_ marker: UInt8, _ prefix: [UInt8], _ content: Data?) {
      (self.marker, self.prefix, self.content) = (marker, prefix, content)
    }

    /// Whether a segment has room for it.
    var fits: Bool { prefix.count + (content?.count ?? 0) <= Self.byteLimit }
  }

  /// A file with segments after the JFIF header, and where they end. Those without content or room are left out.
  static func adding(_ additions: [Addition], to file: Data) -> (file: Data, end: Int) {
    var segments = Data()
    for addition in additions {
      guard let content = addition.content, addition.fits else { continue }
      let byteCount = addition.prefix.count + content.count + 2
      segments.append(
        contentsOf: [0xFF, addition.marker, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)] + addition.prefix)
      segments.append(content)
    }
    let bytes = [UInt8](file.prefix(6))
    let hasJFIF = bytes.count == 6 && bytes[3] == 0xE0
    let end = hasJFIF ? 4 + Int(bytes[4]) << 8 + Int(bytes[5]) : 2
    return (file.prefix(end) + segments + file.dropFirst(end), end + segments.count)
  }
}
