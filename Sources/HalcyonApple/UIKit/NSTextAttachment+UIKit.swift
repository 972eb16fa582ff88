#if canImport(UIKit) && !os(watchOS)
import Halcyon
public import HalcyonViews
public import UIKit

extension NSTextAttachment {
  /// Loads an image into the attachment, and draws the view that shows its text again: `attachment.hc(in: label)`.
  ///
  /// The image is decoded to fit the attachment's bounds, or the view while these are empty.
  ///
  /// - Parameter view: The view of the attributed string, held weakly; later calls do not change it.
  @MainActor
  public func hc(in view: UIView) -> ImageViewProxy {
    let display = AssociatedDisplay.of(self) { attachment in
      var slot = SlotDisplay.Slot(
        size: { [weak attachment, weak view] in
          let bounds = attachment?.bounds.size ?? .zero
          return ViewSize(bounds.width > 0 ? bounds : view?.bounds.size ?? .zero)
        },
        scale: { [weak view] in Double(view?.traitCollection.displayScale ?? 1) },
        show: { [weak attachment, weak view] content, scale in
          attachment?.image = content.uiImage(scale)
          view?.setNeedsLayout()
          view?.setNeedsDisplay()
        },
        view: { [weak view] in view })
      let layout = AttachmentLayout()
      slot.screen = { layout.observer?.screenSize ?? .zero }
      slot.colorSpace = { [weak view] in view?.traitCollection.imageColorSpace ?? .screen }
      let display = SlotDisplay(slot)
      let observer = UIKitLayoutObserver(filling: view) { [weak display] _ in display?.binder.displayDidChange() }
      layout.observer = observer
      return display
    }
    return display.binder.hc
  }
}

/// The observer of the view whose text an attachment is in: an empty label gets its size from the image.
@MainActor
private final class AttachmentLayout {
  weak var observer: UIKitLayoutObserver?
}
#endif
