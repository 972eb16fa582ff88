public import HalcyonHTTP
public import Foundation

/// The status and headers of a response, before its body is read.
public struct ResponseHead: Hashable, Sendable {
  /// The URL of the request.
  public var url: URL
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders

  /// Creates a response head.
  public init(url: URL, status: Int, headers: HTTPHeaders) {
    self.url = url
    self.status = status
    self.headers = headers
  }
}
