/// The head of an answer, and its body to be read.
public struct TransportResponse: Sendable {
  /// The status code, 200 to 599.
  public var status: Int
  /// The fields of the head.
  public var headers: HTTPHeaders
  /// The bytes of the body in order. Read by one reader at a time.
  public var body: TransportBody

  /// Creates a response.
  public init(status: Int, headers: HTTPHeaders, body: TransportBody) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The value of `Content-Length`, or `nil` when it is absent or malformed, counts bytes before decompression, or has no
  /// meaning beside `Transfer-Encoding` (RFC 9112, 6.3).
  public var expectedByteCount: Int? {
    guard headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil else { return nil }
    return headers.contentLength
  }
}
