import Foundation
import Halcyon
import HalcyonHTTP
import Synchronization

/// The image that is sent in place of a source that cannot be read.
struct FallbackImage: Sendable {
  /// The status of the response; `nil` is the error's.
  let status: Int?
  private var url: URL
  private let statuses: [Int]
  /// The transport that serves a file, or the bytes of a `data:` URL: results are stored only for sources of a
  /// transport.
  private let files: LocalTransport?
  private let bytes: BytesTransport?

  /// `nil` if the configuration has none.
  init?(_ configuration: ServiceConfiguration) {
    guard let url = configuration.fallback else { return nil }
    self.url = url
    statuses = configuration.fallbackForStatuses
    status = configuration.fallbackStatus == 0 ? nil : configuration.fallbackStatus
    files = url.isFileURL ? LocalTransport(folder: LocalFolder(url.deletingLastPathComponent()), host: Self.host) : nil
    bytes = url.scheme == "data" ? BytesTransport() : nil
  }

  private static let host = "fallback.invalid"

  /// The transport of the image, by the host of its URL.
  var ownTransports: [String: any Transport] {
    if let files { return [Self.host: files] }
    return bytes.map { [Self.host: $0] } ?? [:]
  }

  /// Decodes a `data:` URL.
  mutating func read(with pipeline: ImagePipeline) async throws {
    guard let bytes else { return }
    let data = try await pipeline.data(for: ImageRequest(url: url))
    bytes.data.withLock { $0 = data }
    // Results are cached under the hash of the bytes.
    let name = SHA256.hash(data).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    url = URL(string: "http://\(Self.host)/\(name)") ?? url
  }

  /// Whether the image stands in for a source with this error.
  func standsIn(for error: ServiceError) -> Bool {
    error.isFaultOfSource && (statuses.isEmpty || statuses.contains(error.status))
  }

  func request() throws(SourceError) -> ImageRequest {
    try files?.request(for: [Array(url.lastPathComponent.utf8)]) ?? ImageRequest(url: url)
  }
}

/// Serves the bytes of a `data:` URL to the pipeline as an HTTP response, so that their results are cached like results of
/// other sources.
private final class BytesTransport: Transport {
  let data = Mutex(Data())

  func response(to request: TransportRequest) async throws -> TransportResponse {
    let data = data.withLock { $0 }
    let rest = Mutex<Data?>(data)
    return TransportResponse(
      status: 200,
      headers: ["Content-Length": "\(data.count)", "Cache-Control": "max-age=31536000, immutable"],
      body: TransportBody { rest.withLock { $0.take() } })
  }
}

extension ServiceError {
  /// Whether the source could not be fetched or read: what a fallback image stands in for.
  fileprivate var isFaultOfSource: Bool {
    switch self {
    case .source(.noSuchFile), .source(.timedOut): true
    case .image(let error):
      switch error {
      case .transport(.addressRejected, _), .transport(.cancelled, _): false
      case .httpStatus, .retryLater, .transport, .tooManyRedirects, .emptyResponse, .responseTooLarge, .notAnImage,
        .decoding:
        true
      default: false
      }
    default: false
    }
  }
}
