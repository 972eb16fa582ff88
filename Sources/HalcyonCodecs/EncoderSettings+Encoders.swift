public import HalcyonImaging

extension EncoderSettings {
  /// The encoders of ``StandardCodecs``, with these settings.
  ///
  /// - Precondition: The settings are in the ranges that they state.
  public var encoders: [any ImageEncoder] {
    precondition((0...6).contains(webPEffort), "webPEffort must be in 0...6, got \(webPEffort)")
    precondition((0...10).contains(avifSpeed), "avifSpeed must be in 0...10, got \(avifSpeed)")
    precondition((1...9).contains(jpegXLEffort), "jpegXLEffort must be in 1...9, got \(jpegXLEffort)")
    var encoders: [any ImageEncoder] = [
      JPEGEncoder(isProgressive: isJPEGProgressive), PNGEncoder(isInterlaced: isPNGInterlaced), GIFEncoder(),
    ]
    #if IMAGEIO
    if let encoder = HEICEncoder() { encoders.append(encoder) }
    #else
    encoders.append(WebPEncoder(effort: webPEffort, preset: webPPreset))
    #endif
    #if AVIF && !IMAGEIO
    encoders.append(AVIFEncoder(speed: avifSpeed))
    #endif
    #if JXL && !IMAGEIO
    encoders.append(JPEGXLEncoder(effort: jpegXLEffort))
    #endif
    return encoders
  }
}
