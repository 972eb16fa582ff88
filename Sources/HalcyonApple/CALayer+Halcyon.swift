#if canImport(QuartzCore) && !os(watchOS)
import Halcyon
public import HalcyonViews
public import QuartzCore
#if canImport(UIKit)
import UIKit
#endif

extension CALayer {
  /// Loads images into the contents of the layer: `layer.hc.setImage(with: url)`.
  ///
  /// The image is decoded for the layer's bounds, contents scale and gravity. A load starts when the layer has a size: after
  /// a change of its bounds call ``imageSizeDidChange()``. There are no indicators, no icons and no
  /// transitions but custom ones; of an animation the first frame is shown.
  @MainActor
  public var hc: ImageViewProxy { display.binder.hc }

  /// Starts a load that has waited for a size, and loads an image again if it has become too small: call it after a change
  /// of the layer's bounds, contents scale or gravity.
  ///
  /// A layer that has only one side then is loaded at that side, and one without sides at the size of the outermost layer
  /// around it.
  @MainActor
  public func imageSizeDidChange() {
    display.isLaidOut = true
    display.binder.displayDidChange()
  }

  @MainActor
  private var display: SlotDisplay {
    AssociatedDisplay.of(self) { layer in
      var slot = SlotDisplay.Slot(
        size: { [weak layer] in layer.map { ViewSize($0.bounds.size) } ?? .zero },
        scale: { [weak layer] in Double(layer?.contentsScale ?? 1) },
        mode: { [weak layer] in
          switch layer?.contentsGravity {
          case .resizeAspectFill: .fill
          case .resize: .stretch
          default: .fit
          }
        },
        show: { [weak layer] content, _ in layer?.contents = content.image?.cgImage },
        view: { [weak layer] in layer })
      slot.screen = { [weak layer] in layer?.ancestors.last.map { ViewSize($0.bounds.size) } ?? .zero }
      #if canImport(UIKit)
      slot.colorSpace = { [weak layer] in
        let view = layer?.ancestors.lazy.compactMap { $0.delegate as? UIView }.first
        return view?.traitCollection.imageColorSpace ?? .screen
      }
      #endif
      let display = SlotDisplay(slot)
      display.isLaidOut = false
      return display
    }
  }

  /// This layer and those around it, from the inside to the outside.
  private var ancestors: [CALayer] { Array(sequence(first: self) { $0.superlayer }) }
}
#endif
