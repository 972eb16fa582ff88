public import Foundation

/// Where the bytes of an image come from.
@nonexhaustive
public enum ImageSource: Hashable, Sendable {
  /// An `http`, `https`, `file` or `data` address.
  case url(URL)
  /// A text that is meant to be an address, checked when it is loaded.
  case address(String)
}

extension ImageSource {
  /// The address, or why the source has none that can be loaded.
  func resolve() throws(ImageError) -> ResolvedSource {
    switch self {
    case .url(let url): return try ResolvedSource(url, text: url.absoluteString)
    case .address(let text):
      guard let url = URL(string: text) else { throw .invalidURL(text) }
      return try ResolvedSource(url, text: text)
    }
  }
}

/// A source whose scheme is known to be one that can be loaded.
enum ResolvedSource: Hashable, Sendable {
  case web(URL, origin: WebOrigin)
  case file(path: String, url: URL)
  /// `text` is the address as it was given: `URL` mends what it takes for mistakes.
  case inline(text: String, url: URL)

  init(_ url: URL, text: String) throws(ImageError) {
    switch url.scheme?.lowercased() {
    case "http", "https":
      guard let origin = WebOrigin(url) else { throw .invalidURL(url.absoluteString) }
      self = .web(url, origin: origin)
    case "file":
      let path = url.path(percentEncoded: false)
      guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidURL(url.absoluteString) }
      self = .file(path: path, url: url)
    case "data":
      self = .inline(text: text, url: url)
    case let scheme?:
      throw .unsupportedScheme(scheme, url: url)
    case nil:
      throw .invalidURL(url.absoluteString)
    }
  }
}
