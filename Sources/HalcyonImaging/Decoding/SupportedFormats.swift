/// What a set of codecs can read and write.
public struct SupportedFormats: Hashable, Sendable {
  /// Formats that are decoded.
  public var readable: Set<ImageFormat>
  /// Formats of which all pictures of an animation are decoded.
  public var animated: Set<ImageFormat>
  /// Formats that are encoded.
  public var writable: Set<ImageFormat>

  /// What these codecs can read and write.
  public init(decoders: [any ImageDecoder], encoders: [any ImageEncoder]) {
    (readable, animated) = ([], [])
    for decoder in decoders {
      // The first decoder of a format reads it.
      if decoder is any AnimatedImageDecoder { animated.formUnion(decoder.formats.subtracting(readable)) }
      readable.formUnion(decoder.formats)
    }
    writable = Set(encoders.map(\.format))
  }
}
