public import Foundation

/// Moves bytes from a web server to us.
///
/// A conformer keeps these laws:
/// - Redirects are not followed: an answer of 3xx is returned like any other, and the pipeline decides.
/// - A body that ends before its declared length is the error ``TransportError/connectionLost(received:expected:)``.
/// - Not more than a few hundred kilobytes are held for a reader that does not read.
/// - Cancelling the calling task, or dropping the response, ends the transfer and closes what it used.
/// - Calls may be made at once from several tasks.
public protocol Transport: Sendable {
  /// Sends a request and returns once the head of the answer is there.
  func response(to request: TransportRequest) async throws -> TransportResponse
}

/// One GET request.
public struct TransportRequest: Hashable, Sendable {
  /// An `http` or `https` address.
  public var url: URL
  /// The fields to send besides those that the transport adds itself.
  public var headers: HTTPHeaders
  /// How long to wait and how large a head to take.
  public var limits: TransportLimits

  /// Creates a request.
  public init(url: URL, headers: HTTPHeaders = HTTPHeaders(), limits: TransportLimits = TransportLimits()) {
    self.url = url
    self.headers = headers
    self.limits = limits
  }
}

/// What a transfer may take.
public struct TransportLimits: Hashable, Sendable {
  /// The longest wait for a connection, name look-up and TLS included. Default: 10 seconds.
  public var connectTimeout: Duration
  /// The longest wait for the next byte. Default: 15 seconds.
  public var idleTimeout: Duration
  /// The longest that one transfer may take from its start to the end of its body, a slow reader included. Default:
  /// `nil`, none: a server that sends a byte now and then is only ended by this.
  public var totalTimeout: Duration?
  /// The most bytes of the answer's head. Default: 64 KiB.
  public var headerByteCount: Int

  /// Creates limits.
  public init(
    connectTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(15), totalTimeout: Duration? = nil,
    headerByteCount: Int = 64 << 10
  ) {
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
    self.totalTimeout = totalTimeout
    self.headerByteCount = headerByteCount
  }
}

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
