#if canImport(UIKit) && !os(watchOS)
import Halcyon
import HalcyonViews
import UIKit

/// Draws in an image view what its binder decides.
@MainActor
final class UIImageViewDisplay: ImageDisplay {
  private(set) lazy var binder = ImageViewBinder(display: self, pipeline: .shared)

  private weak var view: UIImageView?
  /// The view that stands for the image.
  private var standIn: UIView?
  private var indicator: UIView?

  init(_ view: UIImageView) {
    self.view = view
    let observer = UILayoutObserver(frame: view.bounds) { [weak self] isVisible in
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

  func show(_ content: DisplayContent, transition: ImageTransition) {
    guard let view else { return }
    switch transition {
    case .crossFade(let duration):
      UIView.transition(
        with: view, duration: duration / .seconds(1), options: [.transitionCrossDissolve, .allowUserInteraction],
        animations: { self.draw(content, in: view) }, completion: nil)
    case .custom(let animate):
      draw(content, in: view)
      animate(view)
    default:
      draw(content, in: view)
    }
  }

  private func draw(_ content: DisplayContent, in view: UIImageView) {
    standIn?.removeFromSuperview()
    standIn = nil
    switch content.picture {
    case .none: view.image = nil
    case .image(let image):
      view.image = image.bitmap.cgImage.map { UIImage(cgImage: $0, scale: displayScale, orientation: .up) }
    case .icon(let name): view.image = UIImage(named: name) ?? UIImage(systemName: name)
    case .view(let custom):
      view.image = nil
      standIn = custom as? UIView
      if let standIn { view.addFilling(standIn) }
    }
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
#endif
