#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import Halcyon
public import HalcyonViews

extension NSImageView {
  /// Loads images into the view: `imageView.hc.setImage(with: url)`.
  ///
  /// Created at the first use and owned by the view: deallocating the view cancels its load. Its pipeline is
  /// ``ImagePipeline/shared`` until ``ImageViewBinder/pipeline`` is set; a call of `setImage` can name another one.
  public var hc: ImageViewBinder { AssociatedDisplay.of(self) { NSImageViewDisplay($0) }.binder }
}

/// Shows the content of an ``ImageViewBinder`` in an image view.
@MainActor
private final class NSImageViewDisplay: ImageDisplay {
  private(set) lazy var binder = ImageViewBinder(display: self, pipeline: .shared)

  private weak var view: NSImageView?
  /// A custom view that is shown instead of an image.
  private var contentView: NSView?
  private var indicator: NSView?
  /// The image that was drawn last, unlike one that the program has set since.
  private weak var shownImage: NSImage?

  init(_ view: NSImageView) {
    self.view = view
    let observer = LayoutObserver(frame: view.bounds) { [weak self] isVisible in
      self?.binder.isVisible = isVisible
      self?.binder.displayDidChange()
    }
    view.addSubview(observer)
    ImagePipeline.shared.cache.followAppLifeCycle()
  }

  var displaySize: ViewSize {
    guard let size = view?.bounds.size else { return .zero }
    return ViewSize(width: Double(size.width), height: Double(size.height))
  }

  var displayScale: Double { Double(view?.window?.backingScaleFactor ?? 1) }

  var displayMode: ImageDisplayMode { view?.imageScaling == .scaleAxesIndependently ? .stretch : .fit }

  func adoptProgramContent() -> DisplayContent? {
    guard let image = view?.image, image !== shownImage else { return nil }
    return DisplayContent(.view(image), role: .image)
  }

  func show(_ content: DisplayContent, transition: ImageTransition) {
    guard let view else { return }
    if case .crossFade(let duration) = transition {
      let fade = CATransition()
      fade.type = .fade
      fade.duration = duration / .seconds(1)
      view.wantsLayer = true
      view.layer?.add(fade, forKey: "halcyon")
    }
    draw(content, in: view)
    if case .custom(let animate) = transition { animate(view) }
  }

  private func draw(_ content: DisplayContent, in view: NSImageView) {
    contentView?.removeFromSuperview()
    contentView = nil
    switch content.picture {
    case .none: view.image = nil
    case .image(let image): view.image = image.bitmap.cgImage.map { NSImage(cgImage: $0, size: points(image)) }
    case .icon(let name):
      view.image = NSImage(named: name) ?? NSImage(systemSymbolName: name, accessibilityDescription: nil)
    case .view(let custom):
      view.image = custom as? NSImage
      contentView = custom as? NSView
      if let contentView { view.addFilling(contentView) }
    }
    shownImage = view.image
  }

  private func points(_ image: DecodedImage) -> CGSize {
    let scale = pixelsPerPoint(of: image)
    return CGSize(width: Double(image.size.width) / scale, height: Double(image.size.height) / scale)
  }

  func showIndicator(_ indicator: LoadingIndicator) {
    if case .custom(let make) = indicator {
      self.indicator = make() as? NSView
    } else {
      self.indicator = NSProgressIndicator.standard(for: indicator)
    }
    if let shown = self.indicator { view?.addFilling(shown) }
  }

  func updateIndicator(_ progress: LoadProgress) {
    (indicator as? NSProgressIndicator)?.doubleValue = progress.fraction
  }

  func hideIndicator() {
    indicator?.removeFromSuperview()
    indicator = nil
  }
}

extension NSProgressIndicator {
  fileprivate static func standard(for indicator: LoadingIndicator) -> NSProgressIndicator {
    let shown = NSProgressIndicator(frame: .zero)
    if case .progress = indicator {
      shown.style = .bar
      shown.isIndeterminate = false
      shown.minValue = 0
      shown.maxValue = 1
    } else {
      shown.style = .spinning
      shown.startAnimation(nil)
    }
    return shown
  }
}

extension NSView {
  fileprivate func addFilling(_ child: NSView) {
    child.frame = bounds
    child.autoresizingMask = [.width, .height]
    addSubview(child)
  }
}

/// An invisible subview that fills its superview and reports changes of its layout, window and backing scale.
private final class LayoutObserver: NSView {
  /// Receives whether the view is in a window.
  private let onChange: (Bool) -> Void

  init(frame: CGRect, onChange: @escaping (Bool) -> Void) {
    self.onChange = onChange
    super.init(frame: frame)
    autoresizingMask = [.width, .height]
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  /// Passes clicks to the view below.
  override func hitTest(_ point: CGPoint) -> NSView? { nil }

  override func setFrameSize(_ newSize: CGSize) {
    super.setFrameSize(newSize)
    onChange(window != nil)
  }

  override func viewDidMoveToWindow() {
    super.viewDidMoveToWindow()
    onChange(window != nil)
  }

  override func viewDidChangeBackingProperties() {
    super.viewDidChangeBackingProperties()
    onChange(window != nil)
  }
}
#endif
