import HalcyonImaging

/// The decoders of the formats that consist of pixels; drawings embed images of these.
enum RasterDecoders {
  static let all: [any ImageDecoder] =
    [
      JPEGDecoder(), PNGDecoder(), GIFDecoder(), WebPDecoder(), BMPDecoder(), ICODecoder(), TIFFDecoder(),
    ] + further

  private static var further: [any ImageDecoder] {
    var decoders: [any ImageDecoder] = []
    #if AVIF || IMAGEIO
    decoders.append(AVIFDecoder())
    #endif
    #if HEIF || IMAGEIO
    decoders.append(HEIFDecoder())
    #endif
    #if JXL || IMAGEIO
    decoders.append(JPEGXLDecoder())
    #endif
    return decoders
  }
}
