import Foundation
import Halcyon
import HalcyonImaging
import HalcyonPipeline

/// The properties of a source, as `/info/` reports them.
struct SourceReport: Sendable {
  let info: ImageInfo
  let byteCount: Int
  /// The head of the response of the source.
  let head: ResponseHead?
  /// For how long the source needs no revalidation; `nil` if that is not known.
  let freshness: Duration?
  /// Whether the source was received for it.
  let isFetched: Bool
  /// Whether the source has not changed since; `nil` if ``freshness`` tells.
  var isCurrent: (@Sendable () -> Bool)?
  private let thumbHash: ThumbHash?
  private let blurHash: BlurHash?

  /// - Parameters:
  ///   - response: The file of the source.
  ///   - small: The image, of which the placeholders are made; `nil` for none.
  init(info: ImageInfo, _ response: EncodedImageResponse, small: Bitmap?) {
    (self.info, byteCount, head, freshness) = (info, response.data.count, response.head, response.freshness)
    isFetched = response.origin == .network
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

  func json() throws -> Data {
    let fields = Fields(
      format: info.format.rawValue, width: info.pixelSize.width, height: info.pixelSize.height, size: byteCount,
      frames: info.frameCount, alpha: info.hasAlpha, mime_type: info.format.mediaType, blurhash: blurHash?.text,
      thumbhash: thumbHash.map { Data($0.bytes).base64EncodedString() })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(fields) + Data("\n".utf8)
  }
}
