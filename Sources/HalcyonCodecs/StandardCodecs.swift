public import HalcyonImaging

/// The decoders and encoders included in Halcyon, for a pipeline's configuration.
public enum StandardCodecs {
  /// JPEG, PNG, GIF, WebP, BMP, ICO and TIFF; with package traits also AVIF, HEIC (`HEIF`), JPEG XL (`JXL`) and SVG.
  public static let decoders: [any ImageDecoder] =
    [
      JPEGDecoder(), PNGDecoder(), GIFDecoder(), WebPDecoder(), BMPDecoder(), ICODecoder(), TIFFDecoder(),
    ] + traitDecoders
  /// JPEG, PNG, lossy WebP and GIF; with package traits also AVIF and JPEG XL (`JXL`).
  public static let encoders: [any ImageEncoder] =
    [
      JPEGEncoder(), PNGEncoder(), WebPEncoder(), GIFEncoder(),
    ] + traitEncoders

  private static var traitDecoders: [any ImageDecoder] {
    var decoders: [any ImageDecoder] = []
    #if AVIF
    decoders.append(AVIFDecoder())
    #endif
    #if HEIF
    decoders.append(HEIFDecoder())
    #endif
    #if JXL
    decoders.append(JPEGXLDecoder())
    #endif
    #if SVG
    decoders.append(SVGDecoder())
    #endif
    return decoders
  }

  private static var traitEncoders: [any ImageEncoder] {
    var encoders: [any ImageEncoder] = []
    #if AVIF
    encoders.append(AVIFEncoder())
    #endif
    #if JXL
    encoders.append(JPEGXLEncoder())
    #endif
    return encoders
  }
}
