import Foundation
import HalcyonImaging

extension JPEGSegments {
  private static let applications: ClosedRange<UInt8> = 0xE0...0xEF
  private static let comment: UInt8 = 0xFE
  private static let profileMarker: UInt8 = 0xE2
  /// The application segments that define the colours of the samples, by the text that they begin with.
  private static let colors: [UInt8: [UInt8]] = [
    0xE0: Array("JFIF\0".utf8), profileMarker: JPEGHeader.profilePrefix, 0xEE: Array("Adobe".utf8),
  ]

  /// A JPEG file without Exif, XMP, comments, the segments of other applications, and anything after its end: smaller
  /// copies, gain maps and films that have metadata of their own.
  ///
  /// - Parameter keepsProfile: Whether the file keeps its ICC profile.
  static func stripped(_ file: Data, keepsProfile: Bool = true) throws(ImageDecodingError) -> Data {
    let stripped = file.withUnsafeBytes { buffer -> Data? in
      var segments = JPEGSegments(buffer)
      var stripped = Data(buffer.prefix(2))
      while let segment = segments?.next() {
        if isShown(segment), keepsProfile || segment.marker != profileMarker {
          stripped.append(contentsOf: buffer[segment.range])
        }
        if segment.marker == endOfImage { return stripped }
      }
      return nil
    }
    guard let stripped else { throw .truncated(.jpeg) }
    return stripped
  }

  private static func isShown(_ segment: Segment) -> Bool {
    if segment.marker == comment { return false }
    guard applications.contains(segment.marker) else { return true }
    return colors[segment.marker].map { segment.header.starts(with: $0) } ?? false
  }
}
