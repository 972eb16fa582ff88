public import Foundation

/// A GET request.
public struct TransportRequest: Hashable, Sendable {
  /// An `http` or `https` URL.
  public var url: URL
  /// The header fields to send, in addition to those of the transport itself.
  public var headers: HTTPHeaders
  /// Timeouts and the size limit of the response head.
  public var limits: TransportLimits

  /// Creates a request.
  public init(url: URL, headers: HTTPHeaders = HTTPHeaders(), limits: TransportLimits = TransportLimits()) {
    self.url = url
    self.headers = headers
    self.limits = limits
  }
}
