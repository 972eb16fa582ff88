/// What an entry is stored under: a text that says everything that tells it from others, hashed once.
///
/// Equal keys have equal texts; the digest only makes finding them quick.
public struct CacheKey: Sendable {
  /// The whole key in readable form. It is stored beside the entry and compared when the entry is read.
  public let text: String
  /// The hash of ``text``, made once by the initialiser.
  public let digest: KeyDigest

  /// Creates a key from any text, the empty one included.
  public init(_ text: String) {
    self.text = text
    digest = KeyDigest(text)
  }
}

extension CacheKey: Hashable {
  /// Compares the digests first and then the whole texts.
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.digest == right.digest && left.text == right.text
  }

  /// Feeds the digest only.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
  }
}

extension CacheKey: ExpressibleByStringLiteral {
  /// Creates a key from a literal text.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension CacheKey: CustomStringConvertible {
  /// The whole key.
  public var description: String { text }
}
