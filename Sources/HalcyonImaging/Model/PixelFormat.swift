/// How the bytes of one pixel lie in memory.
@nonexhaustive
public enum PixelFormat: Hashable, Sendable {
  /// Red, green, blue, alpha, one byte each in this order; colours already multiplied by alpha.
  case rgba8Premultiplied

  /// Bytes that one pixel takes.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba8Premultiplied: 4
    }
  }
}

/// What the numbers of a pixel mean as colour.
@nonexhaustive
public enum ColorSpace: Hashable, Sendable {
  /// IEC 61966-2-1, the colour space of the web.
  case sRGB
}
