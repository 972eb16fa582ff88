/// What has to be done to the colours of an image to have them in sRGB.
enum ColorMapping: Sendable {
  /// Nothing: they are.
  case none
  case transform(ColorTransform)
  /// Nothing can be done: the description is damaged, or is not about such pixels. Taken for sRGB, which is to be
  /// said with `DroppedContent.colorProfile`.
  case unusable

  var transform: ColorTransform? {
    if case .transform(let transform) = self { transform } else { nil }
  }

  var isUnusable: Bool {
    if case .unusable = self { true } else { false }
  }
}
