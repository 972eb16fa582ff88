import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation

extension ImageError {
  /// Wraps an error that a transport threw.
  init(transferring url: URL, _ error: any Error) {
    switch error {
    case is CancellationError, TransportError.cancelled: self = .cancelled
    case let error as TransportError: self = .transport(error, url: url)
    default: self = Task.isCancelled ? .cancelled : .failed(cause: error, url: url)
    }
  }

  /// Wraps an error that a decoder threw.
  init(decoding error: any Error, url: URL) {
    switch error {
    case is CancellationError, ImageDecodingError.cancelled: self = .cancelled
    case let error as ImageDecodingError: self = .decoding(error, url: url)
    default: self = .failed(cause: error, url: url)
    }
  }

  /// Wraps an error of a renderer.
  init(rendering error: any Error, url: URL) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    case let error as RenderingError where error.cause is CancellationError: self = .cancelled
    case RenderingError.decoding(let cause): self.init(decoding: cause, url: url)
    case RenderingError.processing(let identifier, let cause):
      self = .processingFailed(identifier: identifier, cause: cause, url: url)
    case RenderingError.encoding(let cause): self = .failed(cause: cause, url: url)
    default: self.init(decoding: error, url: url)
    }
  }

  /// Wraps an error that the closure of a source threw.
  init(providing key: String, _ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    default: self = Task.isCancelled ? .cancelled : .providerFailed(key: key, cause: error)
    }
  }

  /// Wraps an error that a hook of the configuration threw; `refusal` makes the case for other errors than
  /// `ImageError`.
  init(requesting url: URL, _ error: any Error, _ refusal: (any Error, URL) -> ImageError) {
    switch error {
    case is CancellationError: self = .cancelled
    case let error as ImageError: self = error
    default: self = Task.isCancelled ? .cancelled : refusal(error, url)
    }
  }
}

extension CacheKey {
  /// The URL of the source in errors; for a source without a URL, `key:` and its key.
  var sourceURL: URL {
    // The key of a URL with a password has a hash of it behind a space.
    if case .url(let text)? = source, let url = URL(string: String(text.prefix { $0 != " " })) { return url }
    return URL(key: sourceText)
  }
}

extension URL {
  private static let keyScheme = "key"

  fileprivate init(key: String) {
    let path = key.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    self = URL(string: "\(Self.keyScheme):\(path)") ?? URL(filePath: "/")
  }

  /// The key in the URL of a source without a URL; `nil` for any other URL.
  var sourceKey: String? {
    guard scheme == Self.keyScheme else { return nil }
    return String(absoluteString.dropFirst(Self.keyScheme.count + 1)).removingPercentEncoding
  }
}
