import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation

/// A source with a supported scheme.
enum ResolvedSource: Sendable {
  /// A web URL, or the closure that resolves it when no cache has the image.
  enum Location: Sendable {
    case known(HTTPURL)
    case unresolved(ImageSource.Provider<URL>)
  }

  case web(Location)
  /// `path` is for messages: the bytes of the name need not be UTF-8.
  case file(path: String, url: URL)
  /// `text` is the original text, since `URL` corrects text that it considers malformed.
  case inline(text: String, url: URL)
  case data(Data)
  case provider(ImageSource.Provider<Data>)
  case decoded(ImageSource.Provider<DecodedImage>)

  /// Whether the request contains the encoded bytes, so that nothing of the source is stored.
  var isInline: Bool {
    switch self {
    case .inline, .data: true
    case .web, .file, .provider, .decoded: false
    }
  }

  init(_ source: ImageSource) throws(ImageError) {
    switch source.kind {
    case .url(let url), .keyed(let url, key: _): try self.init(url, text: url.absoluteString)
    case .string(let text):
      guard let url = WebAddress.url(text) else { throw .invalidURL(text) }
      try self.init(url, text: text)
    case .data(let data, key: _): self = .data(data)
    case .provider(let provider): self = .provider(provider)
    case .decoded(let provider): self = .decoded(provider)
    case .resolver(let resolver): self = .web(.unresolved(resolver))
    case .rejected(_, let error): throw error
    }
  }

  private init(_ url: URL, text: String) throws(ImageError) {
    switch url.scheme?.lowercased() {
    case "http", "https":
      guard let web = HTTPURL(url) else { throw .invalidURL(text) }
      self = .web(.known(web))
    case "file":
      let path = String(decoding: url.decodedPath, as: UTF8.self)
      guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidURL(text) }
      self = .file(path: path, url: url)
    case "data":
      self = .inline(text: text, url: url)
    case let scheme?:
      throw .unsupportedScheme(scheme, url: url)
    case nil:
      throw .invalidURL(text)
    }
  }
}

/// Converts the errors of a caller's closures, and of their results, to errors of the load.
extension ImageSource.Provider {
  func provided() async throws(ImageError) -> Value {
    do {
      let value = try await load()
      try Task.checkCancellation()
      return value
    } catch {
      throw ImageError(providing: key, error)
    }
  }
}

extension ImageSource.Provider<URL> {
  func resolvedURL() async throws(ImageError) -> HTTPURL {
    let resolved = try await provided()
    if let url = HTTPURL(resolved) { return url }
    guard let scheme = resolved.scheme, !["http", "https"].contains(scheme.lowercased()) else {
      throw .invalidURL(resolved.absoluteString)
    }
    throw .unsupportedScheme(scheme, url: resolved)
  }
}
