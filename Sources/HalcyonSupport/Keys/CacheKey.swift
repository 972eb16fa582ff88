/// The key of a cache entry: a text that identifies it, and the digest of that text.
///
/// Keys are equal if and only if their texts are; the digest makes lookups fast.
public struct CacheKey: Sendable {
  /// The whole key in readable form. It is stored with the entry and compared when the entry is read.
  public let text: String
  /// The digest of ``text``, computed once by the initialiser.
  @usableFromInline package let digest: KeyDigest

  /// Creates a key from any text, including an empty one.
  public init(_ text: String) {
    self.text = text
    digest = KeyDigest(text)
  }
}

extension CacheKey: Hashable {
  /// Compares the digests first, then the texts.
  @inlinable
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.digest == right.digest && left.text == right.text
  }

  /// Hashes only the digest.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
  }
}

extension CacheKey: ExpressibleByStringLiteral {
  /// Creates a key from a literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension CacheKey: CustomStringConvertible {
  /// The text of the key.
  public var description: String { text }
}
