import Foundation
import Halcyon

/// The properties of a source, as `/info/` reports them.
struct SourceReport: Encodable {
  let format: String
  let width: Int
  let height: Int
  let size: Int
  let frames: Int
  let alpha: Bool
  let mime_type: String

  init(_ info: ImageInfo, byteCount: Int) {
    format = info.format.rawValue
    (width, height) = (info.pixelSize.width, info.pixelSize.height)
    (size, frames, alpha) = (byteCount, info.frameCount, info.hasAlpha)
    mime_type = info.format.mediaType
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }
}
