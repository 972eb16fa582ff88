public import Foundation

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
