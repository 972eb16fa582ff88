import HalcyonImaging

/// How the colours of an image are converted. The codecs of Apple's systems convert them while decoding.
struct ColorMapping: Sendable {
  /// The colour space of the result.
  var colorSpace = ColorSpace.sRGB
  #if !IMAGEIO
  /// `nil` if the colours are in the space already.
  var transform: ColorTransform?
  #endif
  /// Whether the description is damaged or does not apply to the pixels. They are treated as sRGB, and the image reports
  /// `DroppedContent.colorProfile`.
  var isUnusable = false

  static let unusable = ColorMapping(isUnusable: true)
}
