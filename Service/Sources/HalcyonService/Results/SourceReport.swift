import Foundation
import Halcyon
import HalcyonImaging

/// The properties of a source, as `/info/` reports them.
struct SourceReport: Sendable {
  let info: ImageInfo
  let byteCount: Int
  private let thumbHash: ThumbHash?
  private let blurHash: BlurHash?

  /// - Parameter small: The image, of which the placeholders are made; `nil` for none.
  init(info: ImageInfo, byteCount: Int, small: Bitmap?) {
    (self.info, self.byteCount) = (info, byteCount)
    (thumbHash, blurHash) = (small.map { ThumbHash($0) }, small.map { BlurHash($0) })
  }

  private struct Fields: Encodable {
    let format: String
    let width: Int
    let height: Int
    let size: Int
    let frames: Int
    let alpha: Bool
    let mime_type: String
    let blurhash: String?
    let thumbhash: String?
  }

  func json() throws -> String {
    let fields = Fields(
      format: info.format.rawValue, width: info.pixelSize.width, height: info.pixelSize.height, size: byteCount,
      frames: info.frameCount, alpha: info.hasAlpha, mime_type: info.format.mediaType, blurhash: blurHash?.text,
      thumbhash: thumbHash.map { Data($0.bytes).base64EncodedString() })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(fields), as: UTF8.self) + "\n"
  }
}
