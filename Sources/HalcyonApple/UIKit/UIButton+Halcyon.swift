#if canImport(UIKit) && !os(watchOS)
public import Foundation
import Halcyon
public import HalcyonViews
public import UIKit

extension UIButton {
  /// Loads images into the button: `button.hc.setImage(with: url, for: .normal)`.
  public var hc: ButtonImages { AssociatedDisplay.of(self) { ButtonImages($0) } }
}

/// The images of a button, each with a proxy of its own.
///
/// Images are decoded at most at the size of the button, of which a side that the image determines is not limited. A load
/// starts when the button has been laid out; until it ends, and if it fails, an image that the program has set stays. There are no indicators, and no transitions but custom ones.
@MainActor
public final class ButtonImages {
  private enum Place: Hashable { case image(UInt), background(UInt) }

  private weak var button: UIButton?
  private weak var observer: UIKitLayoutObserver?
  private var displays: [Place: SlotDisplay] = [:]

  fileprivate init(_ button: UIButton) {
    self.button = button
    let observer = UIKitLayoutObserver(filling: button) { [weak self] isVisible in
      for display in self?.displays.values ?? [:].values {
        display.binder.isVisible = isVisible
        display.binder.displayDidChange()
      }
    }
    self.observer = observer
  }

  /// Sets the image for a state.
  public func image(for state: UIControl.State) -> ImageViewProxy {
    proxy(.image(state.rawValue)) { $0.setImage($1, for: state) }
  }

  /// Sets the background image for a state.
  public func backgroundImage(for state: UIControl.State) -> ImageViewProxy {
    proxy(.background(state.rawValue)) { $0.setBackgroundImage($1, for: state) }
  }

  /// Shows the image at a URL for a state; see ``ImageViewProxy``.
  @discardableResult
  public func setImage(
    with url: URL?, for state: UIControl.State, placeholder: ImagePlaceholder? = nil,
    options: ImageViewOptions = [], completion: ImageViewProxy.Completion? = nil
  ) -> ImageViewLoad? {
    image(for: state).setImage(with: url, placeholder: placeholder, options: options, completion: completion)
  }

  /// Shows the image at a URL as the background for a state; see ``ImageViewProxy``.
  @discardableResult
  public func setBackgroundImage(
    with url: URL?, for state: UIControl.State, placeholder: ImagePlaceholder? = nil,
    options: ImageViewOptions = [], completion: ImageViewProxy.Completion? = nil
  ) -> ImageViewLoad? {
    backgroundImage(for: state).setImage(with: url, placeholder: placeholder, options: options, completion: completion)
  }

  private func proxy(_ place: Place, set: @escaping @MainActor (UIButton, UIImage?) -> Void) -> ImageViewProxy {
    if let display = displays[place] { return display.binder.hc }
    var slot = SlotDisplay.Slot(
      size: { [weak button] in button.map { ViewSize($0.bounds.size) } ?? .zero },
      scale: { [weak button] in Double(button?.traitCollection.displayScale ?? 1) },
      show: { [weak button] content, scale in if let button { set(button, content.uiImage(scale)) } },
      view: { [weak button] in button })
    slot.screen = { [weak observer] in observer?.screenSize ?? .zero }
    slot.colorSpace = { [weak button] in button?.traitCollection.imageColorSpace ?? .screen }
    let display = SlotDisplay(slot)
    displays[place] = display
    return display.binder.hc
  }
}

extension DisplayContent {
  /// The image, icon or custom `UIImage`; `nil` for other content.
  ///
  /// System buttons would draw a loaded image as a template, in one colour, unless it says how.
  func uiImage(_ scale: Double) -> UIImage? {
    switch picture {
    case .none: nil
    case .image(let image): image.uiImage(pixelsPerPoint: scale, renderingMode ?? .original)
    case .icon(let name): UIImage(named: name) ?? UIImage(systemName: name)
    case .view(let custom): custom as? UIImage
    }
  }
}
#endif
