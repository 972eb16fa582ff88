package import Foundation

/// A request the server read, complete with its body.
package struct RecordedRequest: Sendable {
  package let method: String
  /// What the client asked for, with the query: `/a.jpg?width=100`.
  package let path: String
  package let headers: HeaderFields
  package let body: Data
  /// The connection it came over; two requests with the same number shared one. Counts from 1.
  package let connectionID: Int
  /// The status answered; `nil` until the reply is chosen.
  package internal(set) var status: Int?

  /// Whether this asks for `other`, which stands for every query when it has none.
  func matches(_ other: String) -> Bool {
    path == other || pathWithoutQuery == other
  }

  var pathWithoutQuery: String {
    String(path.prefix { $0 != "?" })
  }
}
