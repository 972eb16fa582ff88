/// How the standard encoders trade time for smaller files, and whether JPEG is progressive.
///
/// ```swift
/// var settings = EncoderSettings()
/// settings.avifSpeed = 6
/// let encoders = StandardCodecs.encoders(settings)
/// ```
///
/// The quality of files is part of ``EncodingOptions``. Apple's encoders have no such settings: there they have no effect.
public struct EncoderSettings: Hashable, Sendable {
  /// Whether JPEG files are progressive: a few percent smaller for photographs and shown in passes while they arrive, but
  /// encoded and decoded in about twice the time and with more memory. Default: no.
  public var isJPEGProgressive = false
  /// The method of libwebp, from 0 (fastest) to 6 (smallest). Default: 4.
  public var webPEffort = 4
  /// The speed of libavif, from 0 (smallest) to 10 (fastest). Default: 8.
  public var avifSpeed = 8
  /// The effort of libjxl, from 1 (fastest) to 9 (smallest). Default: 4.
  public var jpegXLEffort = 4

  /// Creates settings with the defaults.
  public init() {}
}
