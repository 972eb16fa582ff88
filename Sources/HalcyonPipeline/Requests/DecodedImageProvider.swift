public import HalcyonImaging

/// A closure that makes a decoded image, for example of a video frame, a page of a document, or a map.
///
/// The image is processed, cached in memory and shared by concurrent requests like any other. The store has it encoded,
/// an animation as its own bytes and any other image by ``StoragePolicy/automatic``; requests with a smaller target size,
/// and those for encoded bytes, use that form as well, so the pipeline needs encoders for PNG and JPEG.
///
/// Two providers are equal when their keys are.
public struct DecodedImageProvider: Sendable {
  /// Identifies the image in every cache.
  public let key: String
  /// Makes the image in its original size. Its task is cancelled once no load waits for it.
  public let image: @Sendable () async throws -> DecodedImage

  /// Creates a provider.
  public init(key: String, image: @escaping @Sendable () async throws -> DecodedImage) {
    self.key = key
    self.image = image
  }
}

extension DecodedImageProvider: Hashable {
  /// Compares the keys.
  public static func == (left: DecodedImageProvider, right: DecodedImageProvider) -> Bool { left.key == right.key }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
