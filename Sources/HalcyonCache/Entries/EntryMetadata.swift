public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// What is known about stored bytes.
public struct EntryMetadata: Hashable, Sendable {
  /// The address that gave the bytes, after redirects; `nil` when there was none.
  public var url: URL?
  /// The status of the answer; 200 when there was none.
  public var status: Int
  /// The header fields of the answer.
  public var headers: HTTPHeaders
  /// When the request was sent.
  public var requestDate: Date
  /// When the head of the answer came.
  public var responseDate: Date
  /// When the entry stops being served; `nil` takes the store's own.
  public var expiration: CacheExpiration?
  /// Words by which groups of entries can be found and removed.
  public var tags: [String]
  /// Which requests the answer fits; `nil` when it fits all (it has no `Vary` field).
  public var variant: VariantKey?
  /// The variants kept for the same address, this one included, the newest first; only in the entry that was first.
  public var variants: [VariantKey]
  /// A stand-in for the image; `nil` where none was made.
  public var placeholder: ThumbHash?
  /// Bytes of your own that are kept beside the image, in a form of your own. A ``DiskCache`` keeps at most 64 KiB of
  /// metadata in all.
  public var userInfo: Data?

  /// Creates a description.
  public init(
    url: URL? = nil, status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), requestDate: Date, responseDate: Date,
    expiration: CacheExpiration? = nil, tags: [String] = [], variant: VariantKey? = nil, variants: [VariantKey] = [],
    placeholder: ThumbHash? = nil, userInfo: Data? = nil
  ) {
    self.url = url
    self.status = status
    self.headers = headers
    self.requestDate = requestDate
    self.responseDate = responseDate
    self.expiration = expiration
    self.tags = tags
    self.variant = variant
    self.variants = variants
    self.placeholder = placeholder
    self.userInfo = userInfo
  }
}
