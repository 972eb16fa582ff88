public import Foundation

/// A request that the server has read, with its body.
public struct RecordedRequest: Sendable {
  public let method: String
  /// The request target with its query: `/a.jpg?width=100`.
  public let path: String
  public let headers: HeaderFields
  public let body: Data
  /// The number of its connection, counted from 1; requests with the same number shared a connection.
  public let connectionID: Int
  /// The status code of the reply; `nil` until the reply is chosen.
  public internal(set) var status: Int?

  /// Whether this request is for `other`, which matches any query when it has none.
  func matches(_ other: String) -> Bool {
    path == other || pathWithoutQuery == other
  }

  var pathWithoutQuery: String {
    String(path.prefix { $0 != "?" })
  }
}
