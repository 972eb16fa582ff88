#if canImport(UIKit) && !os(watchOS)
public import HalcyonViews
public import UIKit

extension ImagePlaceholder {
  /// A `UIImage`, such as one of the asset catalogue: for ``FailureContent/shows(_:)`` as well.
  public static func uiImage(_ image: UIImage) -> ImagePlaceholder { .view { image } }
}
#endif
