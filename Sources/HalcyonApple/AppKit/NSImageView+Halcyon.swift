#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import Halcyon
public import HalcyonViews

extension NSImageView {
  /// Loads images into the view: `imageView.hc.setImage(with: url)`.
  ///
  /// Made when it is first asked for, with ``ImagePipeline/shared``; it goes with the view, which cancels its load.
  public var hc: ImageViewBinder { AssociatedDisplay.of(self) { NSImageViewDisplay($0) }.binder }
}
#endif
