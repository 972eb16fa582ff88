public import Foundation

/// A closure that loads the encoded bytes of an image, for example from a database or an archive.
///
/// Two providers are equal when their keys are.
///
/// ```swift
/// let provider = ImageProvider(key: "book/7/cover") { try Data(contentsOf: file) }
/// let image = try await pipeline.image(for: ImageRequest(source: .provider(provider)))
/// ```
public struct ImageProvider: Sendable {
  /// Identifies the image in every cache.
  public let key: String
  /// Loads the bytes. Its task is cancelled once no load waits for them.
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

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
