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
    readable = decoders.reduce(into: []) { $0.formUnion($1.formats) }
    animated = decoders.reduce(into: []) { formats, decoder in
      // The first decoder of a format reads it.
      guard decoder is any AnimatedImageDecoder else { return }
      formats.formUnion(decoder.formats)
    }
    writable = Set(encoders.map(\.format))
  }
}

extension ImagePipeline {
  /// What this pipeline can read and write.
  public var supportedFormats: SupportedFormats {
    SupportedFormats(decoders: configuration.decoders, encoders: configuration.encoders)
  }
}
