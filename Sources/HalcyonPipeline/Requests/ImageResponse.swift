public import HalcyonImaging
public import Foundation

/// An image, its origin, and the steps of its load.
///
/// ```swift
/// let response = try await pipeline.response(for: request)
/// print(response.image.size, response.origin, response.encodedByteCount ?? 0)
/// ```
public struct ImageResponse: Sendable {
  /// The image.
  public var image: DecodedImage
  /// The tier or source that the image came from.
  public var origin: ImageOrigin
  /// The URL of the bytes, after redirects; for an image from memory the URL of the request. `nil` for bytes without a URL.
  public var url: URL?
  /// The number of encoded bytes; `nil` for an image from memory.
  public var encodedByteCount: Int?
  /// The encoded bytes that the image was made from: the original, or its stored variant. `nil` unless
  /// ``RequestOptions/keepsEncodedData`` is set, and for an image from memory.
  public var encodedData: Data?
  /// The values of ``RequestOptions/userInfo``.
  public var userInfo: [String: any Sendable] = [:]
  /// The steps of the load and their durations.
  public var trace: LoadTrace

  package init(
    image: DecodedImage, origin: ImageOrigin, url: URL? = nil, encodedByteCount: Int? = nil, encodedData: Data? = nil,
    trace: LoadTrace
  ) {
    self.image = image
    self.origin = origin
    self.url = url
    self.encodedByteCount = encodedByteCount
    self.encodedData = encodedData
    self.trace = trace
  }
}

extension ImageResponse: CustomStringConvertible {
  /// One line for a log: the size, the origin and the trace, for example
  /// `640x427 from network, 58231 bytes: storeRead 0.05 ms (absent), queue 0.01 ms, transfer 41.2 ms, decode 3.5 ms`.
  public var description: String {
    let bytes = encodedByteCount.map { ", \($0) bytes" } ?? ""
    let steps = trace.steps.isEmpty ? "" : ": \(trace)"
    return "\(image.size.width)x\(image.size.height) from \(origin.rawValue)\(bytes)\(steps)"
  }
}

extension ImageResponse {
  /// The response for an image in memory, before delivery.
  init(memory image: DecodedImage, of source: ImageSource) {
    self.init(image: image, origin: .memory, url: source.url, trace: LoadTrace())
  }

  /// The response of a view for an image in memory that has been delivered.
  package init(memory image: DecodedImage, for request: ImageRequest) {
    self.init(memory: image, of: request.source)
    if let userInfo = request.optionsBox?.options.userInfo { self.userInfo = userInfo }
  }
}
