/// The colour space of the pixels of a ``Bitmap``. Both have the white point and the transfer curve of sRGB.
public enum ColorSpace: String, Hashable, Sendable, CaseIterable {
  /// IEC 61966-2-1, the colours of the web and of most screens.
  case sRGB
  /// Display P3, the space of Apple's cameras and screens, with a quarter more colours, mainly reds and greens.
  case displayP3
}

/// The colour space that an image is decoded to.
public enum TargetColorSpace: String, Hashable, Sendable, CaseIterable {
  /// sRGB; wider colours become the nearest ones.
  case sRGB
  /// Display P3; wider colours become the nearest ones.
  case displayP3
  /// Display P3 if the file states a wider gamut than sRGB, otherwise sRGB. Inks are converted to sRGB.
  case source

  /// - Parameter isWide: Whether the gamut of the file is wider than sRGB.
  package func resolved(isWide: Bool) -> ColorSpace {
    switch self {
    case .sRGB: .sRGB
    case .displayP3: .displayP3
    case .source: isWide ? .displayP3 : .sRGB
    }
  }
}
