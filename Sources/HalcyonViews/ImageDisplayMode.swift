/// How an image is scaled into a display of another aspect ratio.
public enum ImageDisplayMode: Hashable, Sendable {
  /// The whole image is visible; its aspect ratio is kept.
  case fit
  /// The display is filled; parts of the image that exceed it are cut off, equally on both sides.
  case fill
  /// The display is filled; the aspect ratio of the image is not kept.
  case stretch
}
