import Foundation
import Halcyon

/// The image that is sent in place of a source that cannot be read.
struct FallbackImage: Sendable {
  /// The status of the response; `nil` is that of the error.
  let status: Int?
  private let url: URL
  private let statuses: Set<Int>
  let transport: LocalTransport?

  /// `nil` if the configuration has none.
  init?(_ configuration: ServiceConfiguration) {
    guard let url = configuration.fallback else { return nil }
    self.url = url
    statuses = configuration.fallbackForStatuses
    status = configuration.fallbackStatus == 0 ? nil : configuration.fallbackStatus
    // Results of files are only stored for a transport.
    transport =
      url.isFileURL
      ? LocalTransport(folder: LocalFolder(url.deletingLastPathComponent()), host: "fallback.invalid") : nil
  }

  /// Whether the image stands in for a source with this error.
  func standsIn(for error: ServiceError) -> Bool {
    error.isFaultOfSource && (statuses.isEmpty || statuses.contains(error.status))
  }

  func request() throws(SourceError) -> ImageRequest {
    guard let transport else { return ImageRequest(url: url) }
    return ImageRequest(url: try transport.url(of: [url.lastPathComponent]))
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
