/// How the colours of an image are converted to sRGB. The codecs of Apple's systems convert them while decoding.
enum ColorMapping: Sendable {
  /// The colours are sRGB already.
  case none
  #if !IMAGEIO
  case transform(ColorTransform)
  #endif
  /// The description is damaged or does not apply to the pixels. They are treated as sRGB, and the image reports
  /// `DroppedContent.colorProfile`.
  case unusable

  #if !IMAGEIO
  var transform: ColorTransform? {
    if case .transform(let transform) = self { transform } else { nil }
  }
  #endif

  var isUnusable: Bool {
    if case .unusable = self { true } else { false }
  }
}
