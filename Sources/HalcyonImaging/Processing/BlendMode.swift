/// How two colours become one where something is drawn over an image: the separable modes of W3C Compositing and
/// Blending 1, section 9.1.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
  /// What is drawn covers the image.
  case normal
  /// The product: never lighter than either.
  case multiply
  /// The product of the opposites: never darker than either.
  case screen
  /// Multiplies dark parts of the image and screens light ones.
  case overlay
  /// The darker of both.
  case darken
  /// The lighter of both.
  case lighten
  /// Lightens the image by what is drawn.
  case colorDodge
  /// Darkens the image by what is drawn.
  case colorBurn
  /// Overlay with both exchanged.
  case hardLight
  /// A milder hard light.
  case softLight
  /// The distance between both.
  case difference
  /// A milder difference.
  case exclusion

  /// One part of a colour of the image and of what is drawn over it, blended; from 0 to 1, not multiplied by alpha.
  func blend(_ backdrop: Float, _ source: Float) -> Float {
    switch self {
    case .normal: source
    case .multiply: backdrop * source
    case .screen: backdrop + source - backdrop * source
    case .overlay: Self.hardLight(source, backdrop)
    case .darken: min(backdrop, source)
    case .lighten: max(backdrop, source)
    case .colorDodge: backdrop == 0 ? 0 : source >= 1 ? 1 : min(1, backdrop / (1 - source))
    case .colorBurn: backdrop >= 1 ? 1 : source <= 0 ? 0 : 1 - min(1, (1 - backdrop) / source)
    case .hardLight: Self.hardLight(backdrop, source)
    case .softLight: Self.softLight(backdrop, source)
    case .difference: abs(backdrop - source)
    case .exclusion: backdrop + source - 2 * backdrop * source
    }
  }

  private static func hardLight(_ backdrop: Float, _ source: Float) -> Float {
    source <= 0.5 ? backdrop * 2 * source : backdrop + (2 * source - 1) - backdrop * (2 * source - 1)
  }

  private static func softLight(_ backdrop: Float, _ source: Float) -> Float {
    if source <= 0.5 { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
    let curve = backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
    return backdrop + (2 * source - 1) * (curve - backdrop)
  }
}
