public import Foundation

/// An HTTP request.
public struct TransportRequest: Hashable, Sendable {
  /// An `http` or `https` URL.
  public var url: URL
  /// The header fields to send, in addition to what the transport itself sends.
  public var headers: HTTPHeaders
  /// Timeouts and the size limit of the response head.
  public var limits: TransportLimits
  /// The signature that the transport adds. Default: `nil`, none.
  package var signature: RequestSignature?
  /// Whether the transport adds a signature, as to requests of an `S3Storage` with credentials.
  @_spi(Programs) public var isSigned: Bool { signature != nil }

  /// Whether the transport opens a connection for the request, instead of reusing one. `URLSession` cannot be told.
  package var usesNewConnection = false

  /// `nil` for a GET without a body.
  package var content: RequestContent?

  /// The method. Default: GET.
  public var method: HTTPMethod {
    get { content?.method ?? .get }
    set { content = .make(newValue, body) }
  }
  /// The body. Default: `nil`, none.
  ///
  /// A transport adds `Content-Length`; `Content-Type` is one of ``headers``.
  public var body: Data? {
    get { content?.body }
    set { content = .make(method, newValue) }
  }

  /// Creates a request.
  public init(
    url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: Data? = nil,
    limits: TransportLimits = TransportLimits()
  ) {
    self.url = url
    self.headers = headers
    self.limits = limits
    content = .make(method, body)
  }
}
