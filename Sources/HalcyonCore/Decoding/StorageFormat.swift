/// In which format an image is kept.
@nonexhaustive
public enum StorageFormat: Hashable, Sendable {
  /// The bytes as they came.
  case original
  /// What suits the picture: PNG where a pixel is transparent, JPEG at a quality of 0.8 where none is, the bytes as they
  /// came for an animation, which neither could hold.
  case automatic
  /// One format, at a quality from 0 (smallest) to 1 (best) where it has loss.
  case format(ImageFormat, quality: Double)

  /// What has to be done to keep an image.
  @nonexhaustive
  public enum Action: Hashable, Sendable {
    /// The encoded bytes that the image came from are kept.
    case keepOriginal
    /// The pixels are encoded.
    case encode(ImageFormat, EncodingOptions)
  }

  /// What has to be done to keep `image`. Looks at every pixel where the image may be transparent.
  ///
  /// - Precondition: The quality lies in 0...1.
  public func action(for image: DecodedImage) -> Action {
    switch self {
    case .original: .keepOriginal
    case .automatic where image.animation != nil: .keepOriginal
    case .automatic where image.bitmap.hasTransparentPixel: .encode(.png, EncodingOptions())
    case .automatic: .encode(.jpeg, EncodingOptions(quality: 0.8))
    case .format(let format, let quality): .encode(format, EncodingOptions(quality: quality))
    }
  }
}

extension Bitmap {
  /// Whether a pixel has less than full alpha. Looks at all of them unless the bitmap ``isOpaque``.
  public var hasTransparentPixel: Bool {
    if isOpaque { return false }
    return withUnsafeBytes { bytes in
      stride(from: 3, to: bytes.count, by: 4).contains { bytes[$0] != 255 }
    }
  }
}
