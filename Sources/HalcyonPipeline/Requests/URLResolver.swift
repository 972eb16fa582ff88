public import Foundation

/// A closure that resolves the URL of an image, for example with a storage service that issues a temporary URL for a
/// path.
///
/// It is called only when the network is needed: caches find the image by its key. Two resolvers are equal when their
/// keys are.
///
/// ```swift
/// let source = ImageSource.resolver(URLResolver(key: "users/17/photo") { mirror })
/// let image = try await pipeline.image(for: ImageRequest(source: source))
/// ```
public struct URLResolver: Sendable {
  /// Identifies the image in every cache, whatever the URL.
  public let key: String
  /// Returns an `http` or `https` URL. Its task is cancelled once no load waits for it.
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

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
