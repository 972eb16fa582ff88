import Crypto
import Foundation
import HTTPTypes

/// A secret in the `Authorization` field (RFC 6750).
enum BearerToken {
  /// Whether a request has the token, compared in a time that does not depend on it.
  static func isValid(_ token: String, in headers: HTTPFields) -> Bool {
    let expected = SHA256.hash(data: Data("Bearer \(token)".utf8))
    return expected == SHA256.hash(data: Data((headers[.authorization] ?? "").utf8))
  }
}
