#if canImport(UIKit) && !os(watchOS)
import Accessibility
import Halcyon
import HalcyonSupport
public import HalcyonViews
public import UIKit

extension UIImageView {
  /// Loads images into the view: `imageView.hc.setImage(with: url)`.
  ///
  /// Created at the first use and owned by the view: deallocating the view cancels its load. Its pipeline is
  /// ``ImagePipeline/shared`` until ``ImageViewProxy/pipeline`` is set; a call of `setImage` can name another one.
  public var hc: ImageViewProxy { AssociatedDisplay.of(self) { UIImageViewDisplay($0) }.binder.hc }
}

/// Shows the content of an ``ImageViewBinder`` in an image view.
@MainActor
private final class UIImageViewDisplay: ClockedDisplay {
  private(set) lazy var binder = ImageViewBinder(display: self) { .shared }

  private weak var view: UIImageView?
  private weak var observer: UIKitLayoutObserver?
  private var retryControl: RetryControl?
  private var modeObservation: NSKeyValueObservation?
  private var options = ImageViewOptions()
  private var hasText = false
  /// A custom view that is shown instead of an image.
  private var contentView: UIView?
  private var indicator: UIView?
  /// The pixels per point of the image that is shown.
  private var shownScale = 1.0
  /// The image that was drawn last, unlike one that the program has set since.
  private weak var shownImage: UIImage?

  init(_ view: UIImageView) {
    self.view = view
    let observer = UIKitLayoutObserver(filling: view) { [weak self] isVisible in
      self?.binder.isVisible = isVisible
      self?.binder.displayDidChange()
    }
    self.observer = observer
    // A change is followed by no layout.
    modeObservation = view.observe(\.contentMode) { [weak self] _, _ in
      guard let self else { return }
      MainActor.assumeIsolated { self.binder.displayDidChange() }
    }
  }

  func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) {
    pipeline.cache.followAppLifeCycle()
    self.options = options
    if options.alternativeText != nil || hasText {
      hasText = options.alternativeText != nil
      view?.isAccessibilityElement = hasText
      view?.accessibilityLabel = options.alternativeText
    }
    guard options.retriesOnTap == true, let view else { return }
    // Off for image views by default, and then their subviews receive no touches.
    view.isUserInteractionEnabled = true
    guard retryControl == nil else { return }
    retryControl = RetryControl(
      filling: view, isUsed: { [weak self] in self?.binder.retriesOnTap == true },
      onTap: { [weak self] in self?.binder.didTap() })
  }

  /// A failed image that can be retried is a button for assistive technologies, and another one has its failure as value.
  func phaseDidChange(_ phase: ImagePhase) {
    let accessibility = ViewAccessibility(phase, options, canRetry: binder.retriesOnTap)
    if hasText { view?.accessibilityValue = accessibility.value }
    retryControl?.isAccessibilityElement = accessibility.isButton
    retryControl?.accessibilityLabel = accessibility.value
  }

  var reducesMotion: Bool { UIAccessibility.isReduceMotionEnabled || !AXAnimatedImagesEnabled() }

  var displaySize: ViewSize { view.map { ViewSize($0.bounds.size) } ?? .zero }

  var screenSize: ViewSize { observer?.screenSize ?? .zero }

  var transitionView: Any? { view }

  var displayScale: Double { Double(view?.traitCollection.displayScale ?? 1) }

  var displayColorSpace: TargetColorSpace { view?.traitCollection.imageColorSpace ?? .sRGB }

  var displayMode: ImageDisplayMode {
    switch view?.contentMode {
    case .scaleAspectFill: .fill
    case .scaleToFill: .stretch
    default: .fit
    }
  }

  func adoptProgramContent() -> DisplayContent? {
    guard let image = view?.image, image !== shownImage else { return nil }
    return DisplayContent(.view(image), role: .image)
  }

  func show(_ content: DisplayContent, transition: ImageTransition) { show(content, transition: transition) {} }

  func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void) {
    guard let view else { return onEnd() }
    switch transition {
    case .crossFade(let duration):
      UIView.transition(
        with: view, duration: duration / .seconds(1), options: [.transitionCrossDissolve, .allowUserInteraction],
        animations: { self.draw(content, in: view) }, completion: { _ in onEnd() })
    default:
      draw(content, in: view)
      onEnd()
    }
  }

  private func draw(_ content: DisplayContent, in view: UIImageView) {
    contentView?.removeFromSuperview()
    contentView = nil
    switch content.picture {
    case .none: view.image = nil
    case .image(let image):
      view.image = image.uiImage(pixelsPerPoint: pixelsPerPoint(of: image), content.renderingMode)
      shownScale = pixelsPerPoint(of: image)
      // A view of which the program said nothing: the request did.
      if image.bitmap.dynamicRange == .high, view.preferredImageDynamicRange == .unspecified {
        view.preferredImageDynamicRange = .high
      }
    case .icon(let name): view.image = UIImage(named: name) ?? UIImage(systemName: name)
    case .view(let custom):
      view.image = custom as? UIImage
      contentView = custom as? UIView
      if let contentView { view.addFilling(contentView) }
    }
    shownImage = view.image
  }

  func makeFrameClock() -> any FrameClock { DisplayLinkClock() }

  func showFrame(_ frame: Bitmap) {
    // The program may have set an image of its own.
    guard let view, let frame = frame.cgImage, let shown = view.image, shown === shownImage else { return }
    view.image = UIImage(cgImage: frame, scale: shownScale, orientation: .up).withRenderingMode(shown.renderingMode)
    shownImage = view.image
  }

  func showIndicator(_ indicator: LoadingIndicator) {
    let shown: UIView?
    switch indicator {
    case .progress: shown = UIProgressView(progressViewStyle: .default)
    case .custom(let make): shown = make() as? UIView
    default:
      let wheel = UIActivityIndicatorView(style: .medium)
      wheel.startAnimating()
      shown = wheel
    }
    self.indicator = shown
    if let shown { view?.addCentered(shown) }
  }

  func updateIndicator(_ progress: LoadProgress) {
    (indicator as? UIProgressView)?.setProgress(Float(progress.fraction ?? 0), animated: true)
  }

  func hideIndicator() {
    indicator?.removeFromSuperview()
    indicator = nil
  }
}
#endif
