package import Foundation

/// A request that the server has read, with its body.
package struct RecordedRequest: Sendable {
  package let method: String
  /// The request target with its query: `/a.jpg?width=100`.
  package let path: String
  package let headers: HeaderFields
  package let body: Data
  /// The number of its connection, counted from 1; requests with the same number shared a connection.
  package let connectionID: Int
  /// The status code of the reply; `nil` until the reply is chosen.
  package internal(set) var status: Int?

  /// Whether this request is for `other`, which matches any query when it has none.
  func matches(_ other: String) -> Bool {
    path == other || pathWithoutQuery == other
  }

  var pathWithoutQuery: String {
    String(path.prefix { $0 != "?" })
  }
}
