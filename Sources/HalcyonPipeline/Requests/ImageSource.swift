import HalcyonSupport
public import Foundation

/// Where the bytes of an image come from.
@nonexhaustive
public enum ImageSource: Hashable, Sendable {
  /// An `http`, `https`, `file` or `data` address.
  case url(URL)
  /// A text that is meant to be an address, checked when it is loaded.
  case string(String)
  /// An address, under a key that stays the same when the address does not: see ``SignedURL``.
  case keyed(URL, key: String)
  /// Encoded bytes that are there already, under a key of the caller's.
  case data(Data, key: String)
  /// A closure that gives the encoded bytes.
  case provider(ImageProvider)
  /// A closure that gives the address, asked only when no cache has the image.
  case resolver(URLResolver)
}

extension ImageSource {
  /// Encoded bytes, under the hash of all of them as the key.
  public static func data(_ data: Data) -> ImageSource { .data(data, key: KeyDigest(data).hexadecimal) }
}

/// Gives the encoded bytes of an image from anywhere: a database, an archive, another library.
///
/// Two providers are equal when their keys are.
public struct ImageProvider: Sendable {
  /// What tells the image from others in every cache.
  public let key: String
  /// Gives the bytes. Its task is cancelled when nobody waits any more.
  public let data: @Sendable () async throws -> Data

  /// Creates a provider.
  public init(key: String, data: @escaping @Sendable () async throws -> Data) {
    self.key = key
    self.data = data
  }
}

extension ImageProvider: Hashable {
  /// Compares the keys.
  public static func == (left: ImageProvider, right: ImageProvider) -> Bool { left.key == right.key }

  /// Feeds the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Finds out an image's address when it is needed, for example from a storage service that hands out addresses for a
/// path.
///
/// The caches know the image by the key, so an image that is there needs no address. Two resolvers are equal when their
/// keys are.
public struct URLResolver: Sendable {
  /// What tells the image from others in every cache: the same before and after the address is known.
  public let key: String
  /// Gives an `http` or `https` address. Its task is cancelled when nobody waits any more.
  public let url: @Sendable () async throws -> URL

  /// Creates a resolver.
  public init(key: String, url: @escaping @Sendable () async throws -> URL) {
    self.key = key
    self.url = url
  }
}

extension URLResolver: Hashable {
  /// Compares the keys.
  public static func == (left: URLResolver, right: URLResolver) -> Bool { left.key == right.key }

  /// Feeds the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
