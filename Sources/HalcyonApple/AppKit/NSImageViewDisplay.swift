#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import Halcyon
import HalcyonViews

/// Draws in an image view what its binder decides.
@MainActor
final class NSImageViewDisplay: ImageDisplay {
  private(set) lazy var binder = ImageViewBinder(display: self, pipeline: .shared)

  private weak var view: NSImageView?
  /// The view that stands for the image.
  private var standIn: NSView?
  private var indicator: NSView?

  init(_ view: NSImageView) {
    self.view = view
    let observer = NSLayoutObserver(frame: view.bounds) { [weak self] isVisible in
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
    standIn?.removeFromSuperview()
    standIn = nil
    switch content.picture {
    case .none: view.image = nil
    case .image(let image): view.image = image.bitmap.cgImage.map { NSImage(cgImage: $0, size: points(image.size)) }
    case .icon(let name):
      view.image = NSImage(named: name) ?? NSImage(systemSymbolName: name, accessibilityDescription: nil)
    case .view(let custom):
      view.image = nil
      standIn = custom as? NSView
      if let standIn { view.addFilling(standIn) }
    }
  }

  private func points(_ size: PixelSize) -> CGSize {
    CGSize(width: Double(size.width) / displayScale, height: Double(size.height) / displayScale)
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
#endif
