#if canImport(CoreGraphics)
public import HalcyonSupport

/// Why an image of the platform could not be converted.
public enum PlatformImageError: Error, Hashable, DescribedError {
  /// The image is not backed by a `CGImage`.
  case noPixels

  /// What happened and what to do about it.
  public var description: String {
    "The image has no pixels, as one made by Core Image. Draw it into a bitmap first, for example with a renderer."
  }
}
#endif
