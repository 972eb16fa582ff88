import Foundation
import HTTPTypes

/// A secret in the `Authorization` field (RFC 6750).
enum BearerToken {
  /// Whether a request has the token, compared by hashes, so that the time tells nothing of it.
  static func isValid(_ token: String, in headers: HTTPFields) -> Bool {
    guard let given = headers[.authorization]?.bytes(afterPrefix: "bearer ") else { return false }
    return SHA256.hash(Data(token.utf8)) == SHA256.hash(Data(given.utf8))
  }
}
