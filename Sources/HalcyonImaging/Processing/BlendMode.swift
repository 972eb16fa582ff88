/// The separable blend modes of W3C Compositing and Blending 1, section 9.1.
///
/// The *source* is drawn over the *backdrop*, the image.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
  /// The source covers the backdrop.
  case normal
  /// The product of both: never lighter than either.
  case multiply
  /// The inverse of the product of both inverses: never darker than either.
  case screen
  /// Multiplies dark backdrop colours and screens light ones.
  case overlay
  /// The darker of both.
  case darken
  /// The lighter of both.
  case lighten
  /// Brightens the backdrop to reflect the source.
  case colorDodge
  /// Darkens the backdrop to reflect the source.
  case colorBurn
  /// Overlay with source and backdrop exchanged.
  case hardLight
  /// A milder hard light.
  case softLight
  /// The absolute difference of both.
  case difference
  /// A difference of lower contrast.
  case exclusion

  /// Blends one colour component of backdrop and source; 0 to 1, not premultiplied.
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

extension BlendMode {
  /// A pixel drawn over another: blended, then composited source over (W3C Compositing and Blending 1, section 5).
  func draw(_ source: Bitmap.Pixel, over backdrop: Bitmap.Pixel) -> Bitmap.Pixel {
    let composite = source.over(backdrop)
    if self == .normal || source.alpha == 0 || backdrop.alpha == 0 { return composite }
    let (sourceAlpha, backdropAlpha) = (Float(source.alpha) / 255, Float(backdrop.alpha) / 255)
    let sourceColor = source.unpremultiplied.components / 255
    let backdropColor = backdrop.unpremultiplied.components / 255
    var blended = SIMD4<Float>.zero
    for channel in 0..<3 { blended[channel] = blend(backdropColor[channel], sourceColor[channel]) }
    let unblended = source.components * (1 - backdropAlpha) + backdrop.components * (1 - sourceAlpha)
    return Bitmap.Pixel(color: unblended + blended * (sourceAlpha * backdropAlpha * 255), alpha: composite.alpha)
  }
}
