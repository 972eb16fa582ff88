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
  public var hc: ImageViewProxy { images.display.binder.hc }

  /// Starts a load that has waited for a size, and loads an image again if it has become too small: call it after a change
  /// of the layer's bounds, contents scale or gravity.
  ///
  /// A layer that has been given only one side then is loaded at that side, and one without sides at the size of the
  /// outermost layer around it.
  @MainActor
  public func imageSizeDidChange() {
    images.isLaidOut = true
    images.display.binder.displayDidChange()
  }

  @MainActor
  private var images: LayerImages { AssociatedDisplay.of(self) { LayerImages($0) } }

  /// The size of the outermost layer around this one.
  fileprivate var rootSize: CGSize {
    var layer = self
    while let next = layer.superlayer { layer = next }
    return layer.bounds.size
  }

  #if canImport(UIKit)
  /// The space of the view that the layer is in; outside of views that of the current screen.
  @MainActor
  fileprivate var imageColorSpace: TargetColorSpace {
    var layer: CALayer? = self
    while let current = layer {
      if let view = current.delegate as? UIView { return view.traitCollection.imageColorSpace }
      layer = current.superlayer
    }
    return .screen
  }
  #endif
}

/// The display of a layer, and whether the program has told that the layer has been laid out.
@MainActor
private final class LayerImages {
  private(set) lazy var display = SlotDisplay(slot)
  var isLaidOut = false
  private weak var layer: CALayer?

  init(_ layer: CALayer) { self.layer = layer }

  private var slot: SlotDisplay.Slot {
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
    slot.screen = { [weak self] in self?.isLaidOut == true ? ViewSize(self?.layer?.rootSize ?? .zero) : .zero }
    #if canImport(UIKit)
    slot.colorSpace = { [weak layer] in layer?.imageColorSpace ?? .screen }
    #endif
    return slot
  }
}
#endif
