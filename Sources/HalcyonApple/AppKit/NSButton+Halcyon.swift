#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import Halcyon
public import HalcyonViews

extension NSButton {
  /// Loads images into the button: `button.hc.setImage(with: url)`.
  public var hc: ButtonImagePair { AssociatedDisplay.of(self) { ButtonImagePair($0) } }
}

/// The image of a button and that of its other state, each with a proxy of its own.
///
/// Images are decoded at most at the size of the button. A load starts when the button has a size; until it ends, and if it
/// fails, an image that the program has set stays. There are no indicators, and no transitions but custom ones.
@MainActor
public final class ButtonImagePair {
  /// Sets the button's image.
  public var image: ImageViewProxy { imageDisplay.binder.hc }
  /// Sets the image that the button shows while it is on.
  public var alternateImage: ImageViewProxy { alternateDisplay.binder.hc }

  private let imageDisplay: SlotDisplay
  private let alternateDisplay: SlotDisplay

  fileprivate init(_ button: NSButton) {
    imageDisplay = Self.display(button) { $0.image = $1 }
    alternateDisplay = Self.display(button) { $0.alternateImage = $1 }
    _ = AppKitLayoutObserver(filling: button) { [weak self] isVisible in
      guard let self else { return }
      for binder in [imageDisplay.binder, alternateDisplay.binder] {
        binder.isVisible = isVisible
        binder.displayDidChange()
      }
    }
  }

  /// Shows the image at a URL; see ``ImageViewProxy``.
  @discardableResult
  public func setImage(
    with url: URL?, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = [],
    completion: ImageViewProxy.Completion? = nil
  ) -> ImageViewLoad? {
    image.setImage(with: url, placeholder: placeholder, options: options, completion: completion)
  }

  /// Shows the image at a URL while the button is on; see ``ImageViewProxy``.
  @discardableResult
  public func setAlternateImage(
    with url: URL?, placeholder: ImagePlaceholder? = nil, options: ImageViewOptions = [],
    completion: ImageViewProxy.Completion? = nil
  ) -> ImageViewLoad? {
    alternateImage.setImage(with: url, placeholder: placeholder, options: options, completion: completion)
  }

  private static func display(
    _ button: NSButton, set: @escaping @MainActor (NSButton, NSImage?) -> Void
  ) -> SlotDisplay {
    let slot = SlotDisplay.Slot(
      size: { [weak button] in button.map { ViewSize($0.bounds.size) } ?? .zero },
      scale: { [weak button] in Double(button?.window?.backingScaleFactor ?? 1) },
      show: { [weak button] picture, scale in if let button { set(button, picture.nsImage(scale)) } },
      view: { [weak button] in button })
    return SlotDisplay(slot)
  }
}

extension DisplayContent.Picture {
  /// The image, icon or custom `NSImage`; `nil` for other content.
  func nsImage(_ scale: Double) -> NSImage? {
    switch self {
    case .none: nil
    case .image(let image): image.nsImage(pixelsPerPoint: scale)
    case .icon(let name): NSImage(named: name) ?? NSImage(systemSymbolName: name, accessibilityDescription: nil)
    case .view(let custom): custom as? NSImage
    }
  }
}
#endif
