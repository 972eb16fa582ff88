public import HalcyonImaging

/// The form in which an image is stored: the downloaded bytes, or the processed image encoded again.
///
/// A processed image is an entry of its own for each size, list of processors and policy. It is encoded in the
/// background after the image has been delivered, and later loads decode it instead of the original. If it cannot be
/// encoded or written, nothing is stored and no load fails. What the format cannot keep is stored as it was downloaded: an
/// animation always, and an image with high dynamic range. Of a local file only processed images are stored, until it is
/// written again; of data that the request contains, nothing.
///
/// ```swift
/// request.storage = .encoded(as: .webp, quality: 0.7)
/// request.storage = .encoded(as: .jpeg, byteLimit: 30_000, keepsOriginal: false)
/// ```
public struct StoragePolicy: Hashable, Sendable {
  /// The form of the stored image; `nil` for the downloaded bytes.
  var encoding: Rendition.Encoding?
  package var keepsOriginal = true

  /// Stores only the downloaded bytes; nothing is encoded.
  public static let original = StoragePolicy()
  /// PNG if a pixel is transparent, otherwise JPEG at quality 0.8. For an animation, and for an image that was neither
  /// downsampled nor processed, the downloaded bytes.
  public static let automatic = encoded()
  /// JPEG at quality 0.8. Transparent pixels become white: use ``automatic`` for images that may not be opaque.
  public static let photo = encoded(as: .jpeg)
  /// PNG, which keeps transparency.
  public static let sticker = encoded(as: .png, quality: 1)

  /// Stores the image encoded again. The pipeline needs an encoder for the format.
  ///
  /// - Parameters:
  ///   - format: `nil` for PNG if a pixel is transparent, otherwise JPEG; an image that was neither downsampled nor
  ///     processed is not encoded then.
  ///   - quality: From 0 (smallest) to 1 (best), where the format is lossy.
  ///   - byteLimit: The maximum size of the file in bytes: the best quality that fits is used, at most `quality`. An image
  ///     that is larger even at the lowest quality is not stored. `nil` for no limit.
  ///   - metadata: The metadata of the original file that the file gets; others than ``MetadataPolicy/strip`` need a format
  ///     whose encoder writes it: JPEG, PNG or WebP.
  ///   - keepsOriginal: Whether the original bytes are stored as well. With them, other sizes are decoded and stale images
  ///     are revalidated without a new download.
  /// - Precondition: The quality is in 0...1.
  public static func encoded(
    as format: ImageFormat? = nil, quality: Double = 0.8, byteLimit: Int? = nil, metadata: MetadataPolicy = .strip,
    keepsOriginal: Bool = true
  ) -> StoragePolicy {
    StoragePolicy(
      encoding: Rendition.Encoding(as: format, quality: quality, byteLimit: byteLimit, metadata: metadata),
      keepsOriginal: keepsOriginal)
  }

  /// The policy for an image whose original bytes are not known, so that it has to be encoded.
  var withoutOriginal: StoragePolicy { encoding == nil ? .automatic : self }
}

extension ImageRequest {
  /// Whether images are stored encoded again.
  var encodesImages: Bool { resolved.storage.encoding != nil }

  /// Whether the original bytes are stored, besides the image that the policy encodes.
  var storesOriginal: Bool { resolved.storage.keepsOriginal || !encodesImages }

  /// Whether the original bytes are stored in place of an image: encoding an animation would drop its frames, encoding high
  /// dynamic range in a standard format the light beyond white, and ``StoragePolicy/automatic`` does not encode an image
  /// again that was neither downsampled nor processed.
  func storesOriginalBytes(of image: DecodedImage, _ encoders: [any ImageEncoder]) -> Bool {
    guard image.animation == nil, let encoding = resolved.storage.encoding else { return true }
    if image.bitmap.dynamicRange == .high {
      let formats = encoding.format.map { [$0] } ?? [.png, .jpeg]
      let keepsRange = formats.allSatisfy { (try? encoders.encoder(for: $0)) is any HighDynamicRangeEncoder }
      if !keepsRange { return true }
    }
    return encoding.format == nil && processors.isEmpty && image.size == image.info.pixelSize
  }
}
