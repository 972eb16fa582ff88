public import HalcyonCore

/// The decoders and encoders that come with Halcyon, ready for a pipeline's configuration.
public enum StandardCodecs {
  /// JPEG, PNG, GIF, WebP, BMP, ICO and TIFF.
  public static let decoders: [any ImageDecoder] = [
    JPEGDecoder(), PNGDecoder(), GIFDecoder(), WebPDecoder(), BMPDecoder(), ICODecoder(), TIFFDecoder(),
  ]
  /// JPEG, PNG, lossy WebP and GIF.
  public static let encoders: [any ImageEncoder] = [JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder()]
}
