#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// The text of an SVG file, which may be compressed (`.svgz`).
enum SVGFile {
  /// The most bytes of a compressed document.
  static let documentByteLimit = 64 << 20
  /// Enough for the start tag of the root element.
  private static let headByteLimit = 1 << 20

  /// The beginning of the document, as far as the bytes go.
  ///
  /// - Throws: `ImageDecodingError.corrupt` if it cannot be decompressed.
  static func head(of file: Data) throws(ImageDecodingError) -> [UInt8] {
    guard InflatedContent.isGzip(file) else { return XMLText.utf8(of: file, byteLimit: headByteLimit) }
    let content = InflatedContent(of: file, byteLimit: headByteLimit)
    if content.bytes.isEmpty, content.end == .corrupt { throw damaged }
    return XMLText.utf8(of: content.bytes, byteLimit: headByteLimit)
  }

  /// The whole document.
  ///
  /// - Throws: Also `ImageDecodingError.truncated`, and `.unsupportedFeature` if it is too long.
  static func document(in file: Data) throws(ImageDecodingError) -> Data {
    guard InflatedContent.isGzip(file) else { return file }
    let content = InflatedContent(of: file, byteLimit: documentByteLimit)
    switch content.end {
    case .complete: return Data(content.bytes)
    case .truncated: throw .truncated(.svg)
    case .overLimit:
      throw .unsupportedFeature(.svg, feature: "compressed text of over \(documentByteLimit) bytes")
    case .corrupt: throw damaged
    }
  }

  private static var damaged: ImageDecodingError { .corrupt(.svg, reason: "it cannot be decompressed") }
}
#endif
