/// In which form the store keeps images as they are shown: small, processed, and quick to read again.
///
/// The entry is a variant of its own for each size, list of processors and profile; it is made in the background after
/// the image has been delivered, and read instead of the bytes that the image was made of. Where it cannot be made, or
/// not be written, nothing is stored, and no load fails. An animation is kept as it came, whatever the profile; images
/// from files, and from bytes that requests bring along, are not stored.
public struct StorageProfile: Hashable, Sendable {
  /// The format.
  public var format: StorageFormat
  /// The most bytes of the file: the best quality that keeps within them is found, up to that of ``format``. An image that
  /// is larger even at the lowest quality is not stored. Default: no limit.
  public var byteLimit: Int?

  /// Creates a profile.
  public init(_ format: StorageFormat, byteLimit: Int? = nil) {
    self.format = format
    self.byteLimit = byteLimit
  }

  /// Only the bytes that images are made of, as they came; nothing is encoded.
  public static let original = StorageProfile(.original)
  /// By what the picture needs: PNG where a pixel is transparent, else JPEG at a quality of 0.8. Of an animation, and of
  /// an image that was neither made smaller nor processed, the bytes as they came.
  public static let automatic = StorageProfile(.automatic)
  /// JPEG at a quality of 0.8. What is transparent becomes white: for images that are not known to be opaque take
  /// ``automatic``.
  public static let photo = StorageProfile(.format(.jpeg, quality: 0.8))
  /// PNG, with all its transparency.
  public static let sticker = StorageProfile(.format(.png, quality: 1))

  /// One format, at a quality from 0 (smallest) to 1 (best) where it has loss. The pipeline needs an encoder for it.
  ///
  /// - Precondition: The quality lies in 0...1.
  public static func exact(_ format: ImageFormat, quality: Double = 0.8) -> StorageProfile {
    precondition((0...1).contains(quality), "quality must lie in 0...1, got \(quality)")
    return StorageProfile(.format(format, quality: quality))
  }

  /// The profile with a limit on the bytes of the file.
  public func limited(toBytes byteLimit: Int) -> StorageProfile { StorageProfile(format, byteLimit: byteLimit) }
}

extension StorageProfile {
  /// What tells entries of this profile from others; `nil` where there are none.
  var keyText: String? {
    let format: String
    switch self.format {
    case .original: return nil
    case .automatic: format = "automatic"
    case .format(let name, let quality): format = "\(name.rawValue) \(quality)"
    }
    return format + (byteLimit.map { " \($0)" } ?? "")
  }
}
