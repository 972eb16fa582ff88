public import HalcyonImaging

/// The form in which an image is stored: the downloaded bytes, or the processed image encoded again.
///
/// A processed image is an entry of its own for each size, list of processors and policy. It is encoded in the
/// background after the image has been delivered, and later loads decode it instead of the original. If it cannot be
/// encoded or written, nothing is stored and no load fails. An animation is always stored as it was downloaded. Images
/// from files, and from data that the request contains, are not stored.
///
/// ```swift
/// request.storage = .encoded(as: .webp, quality: 0.7)
/// request.storage = .encoded(as: .jpeg, byteLimit: 30_000, keepsOriginal: false)
/// ```
public struct StoragePolicy: Hashable, Sendable {
  /// The format of the stored bytes.
  enum Format: Hashable, Sendable {
    /// The downloaded bytes.
    case original
    /// PNG if a pixel is transparent, otherwise JPEG; the downloaded bytes of an animation.
    case automatic(quality: Double)
    /// One format, with a quality from 0 (smallest) to 1 (best) if it is lossy.
    case encoded(ImageFormat, quality: Double)
  }

  var format = Format.original
  var byteLimit: Int?
  var metadata = MetadataPolicy.strip
  package var keepsOriginal = true
  /// The most colours of PNG and GIF. Small, since policies are in the frames of waiting loads.
  var colorLimit: UInt16?

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
    precondition((0...1).contains(quality), "quality must be in 0...1, got \(quality)")
    return StoragePolicy(
      format: format.map { .encoded($0, quality: quality) } ?? .automatic(quality: quality), byteLimit: byteLimit,
      metadata: metadata, keepsOriginal: keepsOriginal)
  }
}

extension StoragePolicy {
  /// Identifies the policy in cache keys; `nil` if no encoded image is stored.
  var keyText: String? {
    let text: String
    switch format {
    case .original: return nil
    case .automatic(let quality): text = quality == 0.8 ? "automatic" : "automatic \(quality)"
    case .encoded(let format, let quality): text = "\(format.rawValue) \(quality)"
    }
    return text + (byteLimit.map { " \($0)" } ?? "") + (metadata == .strip ? "" : " \(metadata.rawValue)")
      + (colorLimit.map { " of \($0)" } ?? "")
  }
}
