/// The formats that a set of codecs can read and write.
public struct SupportedFormats: Hashable, Sendable {
  /// Formats that can be decoded.
  public var readable: Set<ImageFormat>
  /// Formats of which all frames of an animation can be decoded.
  public var animated: Set<ImageFormat>
  /// Formats that can be encoded.
  public var writable: Set<ImageFormat>

  /// The formats that these codecs can read and write.
  public init(decoders: [any ImageDecoder], encoders: [any ImageEncoder]) {
    (readable, animated) = ([], [])
    for decoder in decoders {
      // A format is read by the first decoder that supports it.
      if decoder is any AnimatedImageDecoder { animated.formUnion(decoder.formats.subtracting(readable)) }
      readable.formUnion(decoder.formats)
    }
    writable = Set(encoders.map(\.format))
  }
}

extension SupportedFormats: CustomStringConvertible {
  /// For example `reads gif (animated), jpeg, png; writes jpeg, png`.
  public var description: String {
    let reads = readable.map { $0.rawValue + (animated.contains($0) ? " (animated)" : "") }.sorted()
    return "reads \(reads.joined(separator: ", ")); writes \(writable.map(\.rawValue).sorted().joined(separator: ", "))"
  }
}
