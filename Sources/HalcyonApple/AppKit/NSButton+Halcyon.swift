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
/// Images are decoded at most at the size of the button, of which a side that the image determines is not limited. A load
/// starts when the button has been laid out; until it ends, and if it fails, an image that the program has set stays. There are no indicators, and no transitions but custom ones.
@MainActor
public final class ButtonImagePair {
  /// Sets the button's image.
  public var image: ImageViewProxy { imageDisplay.binder.hc }
  /// Sets the image that the button shows while it is on.
  public var alternateImage: ImageViewProxy { alternateDisplay.binder.hc }

  private let imageDisplay: SlotDisplay
  private let alternateDisplay: SlotDisplay

  fileprivate init(_ button: NSButton) {
    let place = ObservedButton(button)
    imageDisplay = Self.display(place) { $0.image = $1 }
    alternateDisplay = Self.display(place) { $0.alternateImage = $1 }
    let observer = AppKitLayoutObserver(filling: button) { [weak self] isVisible in
      guard let self else { return }
      for binder in [imageDisplay.binder, alternateDisplay.binder] {
        binder.isVisible = isVisible
        binder.displayDidChange()
      }
    }
    place.observer = observer
  }

  /// A button and the observer of its layout.
  @MainActor
  private final class ObservedButton {
    weak var button: NSButton?
    weak var observer: AppKitLayoutObserver?
    init(_ button: NSButton) { self.button = button }
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
    _ place: ObservedButton, set: @escaping @MainActor (NSButton, NSImage?) -> Void
  ) -> SlotDisplay {
    var slot = SlotDisplay.Slot(
      size: { place.button.map { ViewSize($0.bounds.size) } ?? .zero },
      scale: { Double(place.button?.window?.backingScaleFactor ?? 1) },
      show: { content, scale in if let button = place.button { set(button, content.nsImage(scale)) } },
      view: { place.button })
    slot.screen = { place.observer?.screenSize ?? .zero }
    return SlotDisplay(slot)
  }
}

extension DisplayContent {
  /// The image, icon or custom `NSImage`; `nil` for other content.
  func nsImage(_ scale: Double) -> NSImage? {
    switch picture {
    case .none: nil
    case .image(let image): image.bitmap.nsImage(pixelsPerPoint: scale, isTemplate: renderingMode == .template)
    case .icon(let name): NSImage(named: name) ?? NSImage(systemSymbolName: name, accessibilityDescription: nil)
    case .view(let custom): custom as? NSImage
    }
  }
}
#endif
