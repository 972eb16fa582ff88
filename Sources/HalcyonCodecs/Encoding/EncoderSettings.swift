/// How the standard encoders trade time for smaller files, and how files are shown while they arrive.
///
/// ```swift
/// var settings = EncoderSettings()
/// settings.avifSpeed = 6
/// configuration.encoders = settings.encoders
/// ```
///
/// The quality of files and the number of their colours are part of ``EncodingOptions``. Apple's encoders have no such
/// settings: there they have no effect.
public struct EncoderSettings: Hashable, Sendable {
  /// A hint to libwebp about the content of lossy images, which changes how it filters and distributes bits.
  public enum WebPPreset: String, CaseIterable, Sendable {
    /// For any content.
    case `default`
    /// An outdoor photograph with natural light.
    case photo
    /// A photograph such as a portrait or an indoor shot.
    case picture
    /// A drawing with lines of high contrast.
    case drawing
    /// A small, colourful image.
    case icon
    /// Text.
    case text
  }

  /// Whether JPEG files are progressive: a few percent smaller for photographs and shown in passes while they arrive, but
  /// encoded and decoded in about twice the time and with more memory. Default: no.
  public var isJPEGProgressive = false
  /// Whether PNG files are interlaced: shown in passes while they arrive, but about a sixth larger, and decoded with more
  /// memory. Default: no.
  public var isPNGInterlaced = false
  /// The content of WebP images. Default: any.
  public var webPPreset = WebPPreset.default
  /// The method of libwebp, from 0 (fastest) to 6 (smallest). Default: 4.
  public var webPEffort = 4
  /// The speed of libavif, from 0 (smallest) to 10 (fastest). Default: 8.
  public var avifSpeed = 8
  /// The effort of libjxl, from 1 (fastest) to 9 (smallest). Default: 4.
  public var jpegXLEffort = 4

  /// Creates settings with the defaults.
  public init() {}
}
