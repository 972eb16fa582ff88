public import HalcyonImaging

/// The decoders and encoders included in Halcyon, for a pipeline's configuration.
public enum StandardCodecs {
  /// JPEG, PNG, GIF, WebP, BMP, ICO and TIFF; with package traits also AVIF, HEIC (`HEIF`), JPEG XL (`JXL`) and SVG.
  ///
  /// On Apple's systems AVIF, HEIC and JPEG XL without traits, and no SVG.
  public static let decoders: [any ImageDecoder] = RasterDecoders.all + drawingDecoders
  /// JPEG, PNG, lossy WebP and GIF; with package traits also AVIF and JPEG XL (`JXL`).
  ///
  /// On Apple's systems JPEG, PNG and GIF: they have no encoder for WebP.
  public static let encoders: [any ImageEncoder] =
    [JPEGEncoder(), PNGEncoder(), GIFEncoder()] + furtherEncoders

  private static var drawingDecoders: [any ImageDecoder] {
    #if SVG && !IMAGEIO
    [SVGDecoder()]
    #else
    []
    #endif
  }

  private static var furtherEncoders: [any ImageEncoder] {
    var encoders: [any ImageEncoder] = []
    #if !IMAGEIO
    encoders.append(WebPEncoder())
    #endif
    #if AVIF && !IMAGEIO
    encoders.append(AVIFEncoder())
    #endif
    #if JXL && !IMAGEIO
    encoders.append(JPEGXLEncoder())
    #endif
    return encoders
  }
}
