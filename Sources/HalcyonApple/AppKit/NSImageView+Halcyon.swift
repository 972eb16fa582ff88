#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import Accessibility
public import AppKit
import Halcyon
public import HalcyonViews
import QuartzCore

extension NSImageView {
  /// Loads images into the view: `imageView.hc.setImage(with: url)`.
  ///
  /// Created at the first use and owned by the view: deallocating the view cancels its load. Its pipeline is
  /// ``ImagePipeline/shared`` until ``ImageViewProxy/pipeline`` is set; a call of `setImage` can name another one.
  public var hc: ImageViewProxy { AssociatedDisplay.of(self) { NSImageViewDisplay($0) }.binder.hc }
}

/// Shows the content of an ``ImageViewBinder`` in an image view.
@MainActor
private final class NSImageViewDisplay: AnimatedDisplay {
  private(set) lazy var binder = ImageViewBinder(display: self) { .shared }

  private weak var view: NSImageView?
  private weak var observer: AppKitLayoutObserver?
  /// A custom view that is shown instead of an image.
  private var contentView: NSView?
  private var indicator: NSView?
  private var modeObservation: NSKeyValueObservation?
  private var options = ImageViewOptions()
  private var hasText = false
  /// The pixels per point of the image that is shown.
  private var shownScale = 1.0
  /// The image that was drawn last, unlike one that the program has set since.
  private weak var shownImage: NSImage?

  init(_ view: NSImageView) {
    self.view = view
    let observer = AppKitLayoutObserver(filling: view) { [weak self] isVisible in
      self?.binder.isVisible = isVisible
      self?.binder.displayDidChange()
    }
    observer.isClickable = { [weak self] in self?.binder.retriesOnTap == true }
    observer.onClick = { [weak self] in self?.binder.didTap() }
    self.observer = observer
    // A change is followed by no layout.
    modeObservation = view.observe(\.imageScaling) { [weak self] _, _ in
      guard let self else { return }
      MainActor.assumeIsolated { self.binder.displayDidChange() }
    }
  }

  func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) {
    pipeline.cache.followAppLifeCycle()
    self.options = options
    guard options.alternativeText != nil || hasText else { return }
    hasText = options.alternativeText != nil
    view?.setAccessibilityLabel(options.alternativeText)
  }

  func phaseDidChange(_ phase: ImagePhase) {
    view?.setAccessibilityHelp(ViewAccessibility(phase, options).value)
  }

  var reducesMotion: Bool {
    NSWorkspace.shared.accessibilityDisplayShouldReduceMotion || !AXAnimatedImagesEnabled()
  }

  var displaySize: ViewSize { view.map { ViewSize($0.bounds.size) } ?? .zero }

  var screenSize: ViewSize { observer?.screenSize ?? .zero }

  var transitionView: Any? { view }

  var displayScale: Double { Double(view?.window?.backingScaleFactor ?? 1) }

  var displayColorSpace: TargetColorSpace { (view?.window?.screen ?? .main)?.imageColorSpace ?? .sRGB }

  var displayMode: ImageDisplayMode { view?.imageScaling == .scaleAxesIndependently ? .stretch : .fit }

  func adoptProgramContent() -> DisplayContent? {
    guard let image = view?.image, image !== shownImage else { return nil }
    return DisplayContent(.view(image), role: .image)
  }

  func show(_ content: DisplayContent, transition: ImageTransition) { show(content, transition: transition) {} }

  func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void) {
    guard let view else { return onEnd() }
    if case .crossFade(let duration) = transition {
      let fade = CATransition()
      fade.type = .fade
      fade.duration = duration / .seconds(1)
      CATransaction.begin()
      // Core Animation calls it on the main thread.
      CATransaction.setCompletionBlock { MainActor.assumeIsolated(onEnd) }
      view.wantsLayer = true
      view.layer?.add(fade, forKey: "halcyon")
      draw(content, in: view)
      CATransaction.commit()
    } else {
      draw(content, in: view)
      onEnd()
    }
  }

  private func draw(_ content: DisplayContent, in view: NSImageView) {
    contentView?.removeFromSuperview()
    contentView = nil
    switch content.picture {
    case .none: view.image = nil
    case .image(let image):
      shownScale = pixelsPerPoint(of: image)
      view.image = image.bitmap.nsImage(
        pixelsPerPoint: shownScale, isTemplate: content.renderingMode == .template)
    case .icon(let name):
      view.image = NSImage(named: name) ?? NSImage(systemSymbolName: name, accessibilityDescription: nil)
    case .view(let custom):
      view.image = custom as? NSImage
      contentView = custom as? NSView
      if let contentView { view.addFilling(contentView) }
    }
    shownImage = view.image
  }

  func showFrame(_ frame: Bitmap) {
    // The program may have set an image of its own.
    guard let view, let shown = view.image, shown === shownImage else { return }
    view.image = frame.nsImage(pixelsPerPoint: shownScale, isTemplate: shown.isTemplate)
    shownImage = view.image
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
    (indicator as? NSProgressIndicator)?.doubleValue = progress.fraction ?? 0
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
#endif
