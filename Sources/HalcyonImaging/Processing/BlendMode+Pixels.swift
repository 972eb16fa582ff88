extension BlendMode {
  /// A pixel drawn over another: blended where both are, then source over (W3C Compositing and Blending 1, section 5).
  func draw(_ source: Bitmap.Pixel, over backdrop: Bitmap.Pixel) -> Bitmap.Pixel {
    let cover = source.over(backdrop)
    if self == .normal || source.alpha == 0 || backdrop.alpha == 0 { return cover }
    let (sourceAlpha, backdropAlpha) = (Float(source.alpha) / 255, Float(backdrop.alpha) / 255)
    let plainSource = source.unpremultiplied.parts / 255
    let plainBackdrop = backdrop.unpremultiplied.parts / 255
    var blended = SIMD4<Float>.zero
    for part in 0..<3 { blended[part] = blend(plainBackdrop[part], plainSource[part]) }
    let apart = source.parts * (1 - backdropAlpha) + backdrop.parts * (1 - sourceAlpha)
    return Bitmap.Pixel(color: apart + blended * (sourceAlpha * backdropAlpha * 255), alpha: cover.alpha)
  }
}
