public import HalcyonHTTP
public import Foundation

/// Changes web requests before they are sent: adds fields and tokens, or refuses.
///
/// It is asked before every attempt, and again for a redirect within the origin. A redirect to another origin carries
/// none of what it added.
public protocol RequestModifier: Sendable {
  /// Who the requests are made for, for example a user's number; it may change over time.
  ///
  /// Loads, cached images and stored bytes are shared only by requests of the same identity. `nil` says that what is
  /// added tells no users apart; answers to requests with credentials are then kept in memory only.
  var identity: String? { get }

  /// The request to send. May suspend; an error refuses the request.
  func modify(_ request: TransportRequest) async throws -> TransportRequest

  /// Gets new credentials after the server has refused those it was given.
  ///
  /// All loads of an origin that are refused meanwhile wait for one call.
  ///
  /// - Returns: Whether the request is worth sending once more.
  func renewCredentials(after challenge: AuthenticationChallenge) async throws -> Bool
}

extension RequestModifier {
  /// There is nothing to renew.
  public func renewCredentials(after challenge: AuthenticationChallenge) async throws -> Bool { false }
}

/// A server's demand for other credentials (status 401; RFC 9110, 11).
public struct AuthenticationChallenge: Sendable {
  /// What was asked for.
  public var url: URL
  /// The fields of the answer; `WWW-Authenticate` says what the server takes.
  public var headers: HTTPHeaders

  /// Creates a challenge.
  public init(url: URL, headers: HTTPHeaders) {
    self.url = url
    self.headers = headers
  }
}

/// The head of an answer, before its body is read.
public struct ResponseHead: Hashable, Sendable {
  /// The address that was asked.
  public var url: URL
  /// The status code.
  public var status: Int
  /// The fields of the head.
  public var headers: HTTPHeaders

  /// Creates a head.
  public init(url: URL, status: Int, headers: HTTPHeaders) {
    self.url = url
    self.status = status
    self.headers = headers
  }
}
