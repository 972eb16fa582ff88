#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
public import CoreGraphics
import Halcyon
public import HalcyonViews
#if canImport(UIKit)
public import UIKit
#elseif canImport(AppKit)
public import AppKit
#endif

/// A place for one image that is not a view of its own: of a bar item, a map annotation, a list item of CarPlay.
///
/// ```swift
/// let slot = ImageSlot(size: CGSize(width: 28, height: 28), scale: 3) { [weak item] in item?.image = $0 }
/// slot.hc.setImage(with: url, placeholder: .icon("person.circle"))
/// ```
///
/// There are no indicators, no transitions but custom ones, and of an animation the first frame is shown. Releasing the slot
/// cancels its load.
@MainActor
public final class ImageSlot {
  /// Loads images into the slot.
  public var hc: ImageViewProxy { display.binder.hc }

  private let display: SlotDisplay

  private init(_ size: CGSize, _ scale: CGFloat, show: @escaping @MainActor (DisplayContent, Double) -> Void) {
    let slot = SlotDisplay.Slot(size: { ViewSize(size) }, scale: { Double(scale) }, show: show, view: { nil })
    display = SlotDisplay(slot)
  }

  #if canImport(UIKit)
  /// Creates a slot.
  ///
  /// - Parameters:
  ///   - size: The size in points at which images are decoded at most.
  ///   - scale: Pixels per point, such as the scale of a screen.
  ///   - show: Shows an image, or nothing.
  public convenience init(size: CGSize, scale: CGFloat, show: @escaping @MainActor (UIImage?) -> Void) {
    self.init(size, scale) { content, scale in show(content.uiImage(scale)) }
  }
  #elseif canImport(AppKit)
  /// Creates a slot.
  ///
  /// - Parameters:
  ///   - size: The size in points at which images are decoded at most.
  ///   - scale: Pixels per point, such as the scale of a screen.
  ///   - show: Shows an image, or nothing.
  public convenience init(size: CGSize, scale: CGFloat, show: @escaping @MainActor (NSImage?) -> Void) {
    self.init(size, scale) { content, scale in show(content.nsImage(scale)) }
  }
  #endif
}
#endif
