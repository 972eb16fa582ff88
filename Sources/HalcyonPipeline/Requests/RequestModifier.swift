public import HalcyonHTTP
public import Foundation

/// Modifies or rejects HTTP requests before they are sent, for example to add an access token.
///
/// Called in every attempt, and for every redirect within the origin of the request, once the request need not wait for a
/// connection any longer; so signatures may expire within seconds. A redirect to another origin is sent without the
/// modifications. Methods may be called from several threads at once.
///
/// ```swift
/// struct APIKey: RequestModifier {
///   var identity: String? { nil }
///
///   func modify(_ request: TransportRequest) async throws -> TransportRequest {
///     var request = request
///     request.headers["X-API-Key"] = "secret"
///     return request
///   }
/// }
/// let pipeline = ImagePipeline { $0.options.requestModifier = APIKey() }
/// ```
public protocol RequestModifier: Sendable {
  /// The user that requests are made for, for example a user id; it may change over time.
  ///
  /// Loads, cached images and stored bytes are shared only between requests with the same identity. Return `nil` if the
  /// modifications do not distinguish users; responses to requests with credentials are then cached only in memory.
  var identity: String? { get }

  /// The request to send.
  ///
  /// - Throws: Any error; the load fails with ``ImageError/requestRejected(cause:url:)``.
  func modify(_ request: TransportRequest) async throws -> TransportRequest

  /// Renews the credentials after a response with status 401, whose `WWW-Authenticate` names the accepted schemes
  /// (RFC 9110, 11).
  ///
  /// Calls are coalesced: all loads from the same origin that get this status meanwhile wait for one call.
  ///
  /// - Returns: Whether to send the request again.
  /// - Throws: Any error; the load fails with ``ImageError/requestRejected(cause:url:)``.
  func renewCredentials(after response: ResponseHead) async throws -> Bool
}

extension RequestModifier {
  /// Returns `false`: there is nothing to renew.
  public func renewCredentials(after response: ResponseHead) async throws -> Bool { false }
}

/// A modifier that also limits how many requests wait for their permits.
@_spi(Programs) public protocol RequestAdmission: RequestModifier {
  /// Called before a request waits for its permit, in the task of its load.
  ///
  /// - Throws: Any error; the load fails with ``ImageError/requestRejected(cause:url:)``.
  func admit(_ url: URL) throws
}
