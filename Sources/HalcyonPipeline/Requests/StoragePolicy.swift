public import HalcyonImaging

/// The form in which an image is stored: the downloaded bytes, or the processed image encoded again.
///
/// A processed image is an entry of its own for each size, list of processors and policy. It is encoded in the
/// background after the image has been delivered, and later loads decode it instead of the original. If it cannot be
/// encoded or written, nothing is stored and no load fails. An animation is always stored as it was downloaded. Images
/// from files, and from data that the request contains, are not stored.
///
/// ```swift
/// request.options.storage = .encoded(as: .webp, quality: 0.7)
/// request.options.storage = .photo.limited(toBytes: 30_000)
/// ```
public struct StoragePolicy: Hashable, Sendable {
  /// The format of the stored bytes.
  @nonexhaustive
  public enum Format: Hashable, Sendable {
    /// The downloaded bytes.
    case original
    /// PNG if a pixel is transparent, otherwise JPEG at quality 0.8; the downloaded bytes of an animation.
    case automatic
    /// One format, with a quality from 0 (smallest) to 1 (best) if it is lossy.
    case encoded(ImageFormat, quality: Double)
  }

  /// The format of the stored bytes.
  public var format: Format
  /// The maximum size of the encoded file in bytes: the best quality that fits is used, at most that of ``format``. An
  /// image that is larger even at the lowest quality is not stored. Default: no limit.
  public var byteLimit: Int?
  /// The metadata of the original file that the encoded file gets. Default: none.
  ///
  /// Policies with other metadata than ``MetadataPolicy/strip`` need a format whose encoder writes it: JPEG, PNG or WebP.
  public var metadata: MetadataPolicy

  /// Creates a policy.
  public init(_ format: Format, byteLimit: Int? = nil, metadata: MetadataPolicy = .strip) {
    self.format = format
    self.byteLimit = byteLimit
    self.metadata = metadata
  }

  /// Stores only the downloaded bytes; nothing is encoded.
  public static let original = StoragePolicy(.original)
  /// PNG if a pixel is transparent, otherwise JPEG at quality 0.8. For an animation, and for an image that was neither
  /// downsampled nor processed, the downloaded bytes.
  public static let automatic = StoragePolicy(.automatic)
  /// JPEG at quality 0.8. Transparent pixels become white: use ``automatic`` for images that may not be opaque.
  public static let photo = StoragePolicy(.encoded(.jpeg, quality: 0.8))
  /// PNG, which keeps transparency.
  public static let sticker = StoragePolicy(.encoded(.png, quality: 1))

  /// Stores the image in one format, with a quality from 0 (smallest) to 1 (best) if it is lossy. The pipeline needs an
  /// encoder for the format.
  ///
  /// - Precondition: The quality is in 0...1.
  public static func encoded(as format: ImageFormat, quality: Double = 0.8) -> StoragePolicy {
    precondition((0...1).contains(quality), "quality must be in 0...1, got \(quality)")
    return StoragePolicy(.encoded(format, quality: quality))
  }

  /// This policy with a limit on the size of the encoded file, in bytes.
  public func limited(toBytes byteLimit: Int) -> StoragePolicy {
    StoragePolicy(format, byteLimit: byteLimit, metadata: metadata)
  }
}

extension StoragePolicy {
  /// Identifies the policy in cache keys; `nil` if no encoded image is stored.
  var keyText: String? {
    let text: String
    switch format {
    case .original: return nil
    case .automatic: text = "automatic"
    case .encoded(let format, let quality): text = "\(format.rawValue) \(quality)"
    }
    return text + (byteLimit.map { " \($0)" } ?? "") + (metadata == .strip ? "" : " \(metadata.rawValue)")
  }
}
