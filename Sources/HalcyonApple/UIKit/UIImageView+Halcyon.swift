#if canImport(UIKit) && !os(watchOS)
import Halcyon
public import HalcyonViews
public import UIKit

extension UIImageView {
  /// Loads images into the view: `imageView.hc.setImage(with: url)`.
  ///
  /// Created at the first use and owned by the view: deallocating the view cancels its load. Its pipeline is
  /// ``ImagePipeline/shared`` until ``ImageViewBinder/pipeline`` is set; a call of `setImage` can name another one.
  public var hc: ImageViewBinder { AssociatedDisplay.of(self) { UIImageViewDisplay($0) }.binder }
}

/// Shows the content of an ``ImageViewBinder`` in an image view.
@MainActor
private final class UIImageViewDisplay: ImageDisplay {
  private(set) lazy var binder = ImageViewBinder(display: self, pipeline: .shared)

  private weak var view: UIImageView?
  /// A custom view that is shown instead of an image.
  private var contentView: UIView?
  private var indicator: UIView?
  /// The image that was drawn last, unlike one that the program has set since.
  private weak var shownImage: UIImage?

  init(_ view: UIImageView) {
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

  var displayScale: Double { Double(view?.traitCollection.displayScale ?? 1) }

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
    case .custom(let animate):
      draw(content, in: view)
      animate(view)
      onEnd()
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
      view.image = image.bitmap.cgImage.map { UIImage(cgImage: $0, scale: pixelsPerPoint(of: image), orientation: .up) }
    case .icon(let name): view.image = UIImage(named: name) ?? UIImage(systemName: name)
    case .view(let custom):
      view.image = custom as? UIImage
      contentView = custom as? UIView
      if let contentView { view.addFilling(contentView) }
    }
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
    (indicator as? UIProgressView)?.setProgress(Float(progress.fraction), animated: true)
  }

  func hideIndicator() {
    indicator?.removeFromSuperview()
    indicator = nil
  }
}

extension UIView {
  fileprivate func addFilling(_ child: UIView) {
    child.frame = bounds
    child.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    addSubview(child)
  }

  fileprivate func addCentered(_ child: UIView) {
    child.center = CGPoint(x: bounds.midX, y: bounds.midY)
    child.autoresizingMask = [
      .flexibleLeftMargin, .flexibleRightMargin, .flexibleTopMargin, .flexibleBottomMargin,
    ]
    addSubview(child)
  }
}

/// An invisible subview that fills its superview and reports changes of its layout and window.
private final class LayoutObserver: UIView {
  /// Receives whether the view is in a window.
  private let onChange: (Bool) -> Void

  init(frame: CGRect, onChange: @escaping (Bool) -> Void) {
    self.onChange = onChange
    super.init(frame: frame)
    autoresizingMask = [.flexibleWidth, .flexibleHeight]
    isUserInteractionEnabled = false
    isHidden = true
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override func layoutSubviews() {
    super.layoutSubviews()
    onChange(window != nil)
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    onChange(window != nil)
  }
}
#endif
