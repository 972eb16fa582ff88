/// How a toolkit draws the pixels of a loaded image: ``ImageViewOptions/renderingMode``.
public enum ImageRenderingMode: Hashable, Sendable {
  /// In its own colours.
  case original
  /// In the tint colour of the view: only the opacity of the pixels counts, as for icons.
  case template
}
