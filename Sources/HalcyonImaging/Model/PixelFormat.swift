/// The memory layout of a pixel.
@nonexhaustive
public enum PixelFormat: Hashable, Sendable {
  /// Red, green, blue, alpha, one byte each in this order; colours are premultiplied by alpha.
  case rgba8Premultiplied

  /// The size of a pixel in bytes.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba8Premultiplied: 4
    }
  }
}

/// The colour space of a bitmap's pixels.
@nonexhaustive
public enum ColorSpace: Hashable, Sendable {
  /// IEC 61966-2-1, the colour space of the web.
  case sRGB
}
