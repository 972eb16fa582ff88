public import HalcyonCore

/// The decoders and encoders that come with Halcyon, ready for a pipeline's configuration.
public enum StandardCodecs {
  /// JPEG and PNG.
  public static let decoders: [any ImageDecoder] = [JPEGDecoder(), PNGDecoder()]
  /// JPEG and PNG.
  public static let encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder()]
}
