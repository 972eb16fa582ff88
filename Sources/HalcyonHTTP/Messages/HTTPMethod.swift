import HalcyonSupport

/// The method of an HTTP request (RFC 9110, 9).
public struct HTTPMethod: Hashable, Sendable {
  /// The name, which is case-sensitive.
  public let name: String

  /// Creates any method; `nil` if the name is not a token (RFC 9110, 5.6.2): ASCII letters, digits and some punctuation.
  public init?(_ name: String) {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) })
    else { return nil }
    self.name = name
  }

  private init(known name: String) { self.name = name }

  /// Requests an image. The default.
  public static let get = HTTPMethod(known: "GET")
  /// Requests the header fields of the response to a `GET`.
  package static let head = HTTPMethod(known: "HEAD")
  /// Has the server process the body. Neither safe nor idempotent.
  public static let post = HTTPMethod(known: "POST")
  /// Replaces the resource by the body. Idempotent.
  public static let put = HTTPMethod(known: "PUT")
  /// Removes the resource. Idempotent.
  public static let delete = HTTPMethod(known: "DELETE")

  /// Whether sending a request several times has the effect of sending it once (RFC 9110, 9.2.2), so that it may be
  /// retried: `GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT` and `DELETE`.
  package var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(name) }
}

extension HTTPMethod: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
