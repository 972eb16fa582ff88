public import HalcyonImaging

extension EncoderSettings {
  /// The encoders of ``StandardCodecs``, with these settings; numbers outside of the ranges that they state are clamped.
  public var encoders: [any ImageEncoder] {
    var encoders: [any ImageEncoder] = [
      JPEGEncoder(isProgressive: isJPEGProgressive), PNGEncoder(isInterlaced: isPNGInterlaced), GIFEncoder(),
    ]
    #if IMAGEIO
    if let encoder = HEICEncoder() { encoders.append(encoder) }
    #else
    encoders.append(WebPEncoder(effort: min(max(webPEffort, 0), 6), preset: webPPreset))
    #endif
    #if AVIF && !IMAGEIO
    encoders.append(AVIFEncoder(speed: min(max(avifSpeed, 0), 10)))
    #endif
    #if JXL && !IMAGEIO
    encoders.append(JPEGXLEncoder(effort: min(max(jpegXLEffort, 1), 9)))
    #endif
    return encoders
  }
}
