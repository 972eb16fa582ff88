/// The head of a response, and its body as a sequence.
public struct TransportResponse: Sendable {
  /// The status code, 200 to 599.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The bytes of the body in order, for one reader at a time.
  public var body: TransportBody

  /// Creates a response.
  public init(status: Int, headers: HTTPHeaders, body: TransportBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The length of the body in bytes, from `Content-Length`.
  ///
  /// `nil` if the field is absent or invalid, or does not apply: with `Content-Encoding` it counts compressed bytes, and
  /// `Transfer-Encoding` overrides it (RFC 9112, 6.3).
  public var expectedByteCount: Int? {
    guard headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil else { return nil }
    return headers.contentLength
  }
}
