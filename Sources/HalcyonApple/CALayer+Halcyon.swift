#if canImport(QuartzCore) && !os(watchOS)
import Halcyon
public import HalcyonViews
public import QuartzCore

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
  @MainActor
  public func imageSizeDidChange() { display.binder.displayDidChange() }

  @MainActor
  private var display: SlotDisplay {
    AssociatedDisplay.of(self) { layer in
      let slot = SlotDisplay.Slot(
        size: { [weak layer] in layer.map { ViewSize($0.bounds.size) } ?? .zero },
        scale: { [weak layer] in Double(layer?.contentsScale ?? 1) },
        mode: { [weak layer] in
          switch layer?.contentsGravity {
          case .resizeAspectFill: .fill
          case .resize: .stretch
          default: .fit
          }
        },
        show: { [weak layer] picture, _ in
          if case .image(let image) = picture { layer?.contents = image.cgImage } else { layer?.contents = nil }
        },
        view: { [weak layer] in layer })
      return SlotDisplay(slot)
    }
  }
}
#endif
