public import HTTPTypes
public import NIOCore

/// A request, as far as the service uses it.
public struct ServiceRequest: Sendable {
  /// GET, HEAD or another method.
  public var method: HTTPRequest.Method
  /// The path as it was sent, without the query.
  public var path: String
  /// The header fields.
  public var headers: HTTPFields
  /// The IP address of the client, for the log.
  public var client: String?

  /// Creates a request.
  public init(
    method: HTTPRequest.Method = .get, path: String, headers: HTTPFields = [:], client: String? = nil
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.client = client
  }
}

/// The response to a request.
public struct ServiceResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HTTPFields
  /// The body; also of a response to HEAD, which is sent without it.
  public var body: ByteBuffer
}

extension ServiceResponse {
  /// Whether a body belongs to the status.
  var hasBody: Bool { ![204, 304].contains(status) }

  /// The head that is sent.
  func head(date: String) -> HTTPResponse {
    var headers = headers
    headers[.date] = date
    if hasBody { headers[.contentLength] = "\(body.readableBytes)" }
    return HTTPResponse(status: .init(code: status), headerFields: headers)
  }

  /// A text.
  static func text(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") -> ServiceResponse {
    ServiceResponse(
      status: status,
      headers: [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
      body: ByteBuffer(string: text))
  }

  /// The methods that images allow, for browsers that ask before they send a request for a page of another site.
  static var options: ServiceResponse {
    ServiceResponse(
      status: 204, headers: [.allow: "GET, HEAD, OPTIONS", .cacheControl: "max-age=86400"], body: ByteBuffer())
  }

  /// Lets the pages of some origins, or of all with `*`, read the response.
  ///
  /// - Parameter asking: The origin of the request's page.
  mutating func allow(_ origins: [String], for asking: String?) {
    guard let first = origins.first else { return }
    if let origin = origins.count == 1 ? first : origins.first(where: { $0 == asking || $0 == "*" }) { allow(origin) }
    if origins.count > 1 { headers[.vary] = headers[.vary].map { $0 + ", Origin" } ?? "Origin" }
  }

  /// Lets the pages of an origin, or of all with `*`, read the response.
  private mutating func allow(_ origin: String) {
    headers[.accessControlAllowOrigin] = origin
    headers[.crossOriginResourcePolicy] = "cross-origin"
    headers[.accessControlExposeHeaders] =
      "Cache-Status, Content-Disposition, Content-Length, ETag, Fallback-Image, Retry-After, X-Request-ID"
    guard headers[.allow] != nil else { return }
    headers[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
    headers[.accessControlAllowHeaders] = "If-Modified-Since, If-None-Match, Range, traceparent, X-Request-ID"
    headers[.accessControlMaxAge] = "86400"
  }
}

extension HTTPField.Name {
  static let requestID = name("X-Request-ID")
  static let traceParent = name("traceparent")
  static let traceState = name("tracestate")
  static let forwardedFor = name("X-Forwarded-For")
  static let fallbackImage = name("Fallback-Image")
  static let link = name("Link")
  static let cacheStatus = name("Cache-Status")
  static let crossOriginResourcePolicy = name("Cross-Origin-Resource-Policy")
  static let contentSecurityPolicy = name("Content-Security-Policy")

  private static func name(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("\(text) is not the name of a header field") }
    return name
  }
}
