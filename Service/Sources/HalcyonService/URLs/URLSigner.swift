public import Foundation
@_spi(Programs) import HalcyonProcessing

/// The keys with which paths are signed, and the check of signatures.
///
/// A signature is the HMAC-SHA256 of a salt and the path after the signature, in URL-safe Base64. A path that is signed
/// with any of the pairs is valid, so that keys can be replaced without an interruption.
public struct URLSigner: Sendable {
  /// A key and its salt.
  public struct KeyPair: Hashable, Sendable {
    /// The key of the HMAC.
    public var key: Data
    /// The bytes before the path.
    public var salt: Data

    /// Creates a pair.
    public init(key: Data, salt: Data) {
      self.key = key
      self.salt = salt
    }
  }

  private let pairs: [KeyPair]
  private let byteCount: Int

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - pairs: At least one; the first one signs.
  ///   - byteCount: The bytes of the HMAC in a signature, clamped to 8...32. Default: all 32.
  public init(pairs: [KeyPair], byteCount: Int = 32) {
    self.pairs = pairs
    self.byteCount = min(32, max(8, byteCount))
  }

  /// The signature of a path, which begins with a slash.
  public func signature(of path: String) -> String? {
    pairs.first.map { Base64URL.encode(digest(of: path, with: $0)) }
  }

  /// Whether `signature` signs `path` with one of the pairs. Takes equally long wherever the signatures differ.
  public func isValid(_ signature: String, for path: String) -> Bool {
    // Accepts one spelling of the last bits only, so that a signature cannot be changed into another valid one.
    guard let given = Base64URL.decode(signature), given.count == byteCount,
      Base64URL.encode(given) == signature.prefix(while: { $0 != "=" })
    else { return false }
    var isValid = false
    for pair in pairs { isValid = Self.areEqual(given, digest(of: path, with: pair)) || isValid }
    return isValid
  }

  private func digest(of path: String, with pair: KeyPair) -> Data {
    SHA256.authenticationCode(of: pair.salt + Data(path.utf8), key: pair.key).prefix(byteCount)
  }

  private static func areEqual(_ left: Data, _ right: Data) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
