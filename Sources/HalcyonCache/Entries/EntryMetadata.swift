public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// The metadata of a stored entry.
///
/// A ``DiskCache`` stores at most 64 KiB of metadata for each entry. Of larger metadata it drops the header fields that
/// HTTP caching does not need.
public struct EntryMetadata: Hashable, Sendable {
  /// The final URL of the response, after redirects; `nil` for an entry without a URL.
  public var url: URL?
  /// The status code of the response; 200 for an entry without a response.
  public var status: Int
  /// The header fields of the response.
  public var headers: HTTPHeaders
  /// When the request was sent.
  public var requestDate: Date
  /// When the head of the response was received.
  public var responseDate: Date
  /// When the entry expires; `nil` for the default of the store.
  public var expiration: CacheExpiration?
  /// Tags by which groups of entries can be found and removed.
  public var tags: [String]
  /// The variant of the response that this entry is; `nil` if the response matches all requests (it has no `Vary`).
  package var variant: VaryKey?
  /// All stored variants of the response, including this one, the newest first; only in the entry under the key itself.
  package var variants: [VaryKey] = []
  /// The placeholder of the image; `nil` if none was made.
  public var placeholder: ThumbHash?
  /// Custom bytes stored beside the image.
  public var userInfo: Data?
  /// The redirects that led to the response, the first one first; empty if the URL of the request sent it.
  ///
  /// Each has a freshness of its own: the entry is served without contacting a server while all of them are fresh.
  package var redirects: [Redirect] = []
  /// The version of the original that the entry is, or was made of; `nil` if a program put the entry into the store, which
  /// is never outdated.
  package var original: OriginalMark?

  /// Creates metadata, of an entry that is no variant and to which no redirects led.
  public init(
    url: URL? = nil, status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), requestDate: Date, responseDate: Date,
    expiration: CacheExpiration? = nil, tags: [String] = [], placeholder: ThumbHash? = nil, userInfo: Data? = nil
  ) {
    self.url = url
    self.status = status
    self.headers = headers
    self.requestDate = requestDate
    self.responseDate = responseDate
    self.expiration = expiration
    self.tags = tags
    self.placeholder = placeholder
    self.userInfo = userInfo
  }
}

extension EntryMetadata {
  /// The header fields that decide how a stored response is served, revalidated, decoded and resumed.
  private static let essentialFields = [
    "Accept-Ranges", "Age", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date", "ETag",
    "Expires", "Last-Modified", "Pragma", "Vary",
  ]

  /// The metadata with the header fields that HTTP caching needs, without all others.
  package var withEssentialFields: EntryMetadata {
    var metadata = self
    metadata.headers = HTTPHeaders()
    for field in headers.fields where Self.essentialFields.contains(where: { field.name.isEqualIgnoringCase(to: $0) }) {
      metadata.headers.add(name: field.name, value: field.value)
    }
    return metadata
  }
}
