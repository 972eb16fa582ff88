#if canImport(UIKit) && !os(watchOS)
import Halcyon
public import HalcyonViews
public import UIKit

extension UIImageView {
  /// Loads images into the view: `imageView.hc.setImage(with: url)`.
  ///
  /// Made when it is first asked for, with ``ImagePipeline/shared``; it goes with the view, which cancels its load.
  public var hc: ImageViewBinder { AssociatedDisplay.of(self) { UIImageViewDisplay($0) }.binder }
}
#endif
