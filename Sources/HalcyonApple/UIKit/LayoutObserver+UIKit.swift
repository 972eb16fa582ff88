#if canImport(UIKit) && !os(watchOS)
import HalcyonViews
import UIKit

/// A clear subview that fills its superview and reports changes of its layout and window.
///
/// Not hidden, since it is not documented that UIKit lays out hidden views.
final class UIKitLayoutObserver: UIView {
  /// Receives whether the view is in a window.
  private let onChange: (Bool) -> Void
  private var isLaidOut = false

  /// The size of the window, which has laid out the view; zero before that.
  var screenSize: ViewSize { isLaidOut ? ViewSize(window?.bounds.size ?? .zero) : .zero }

  init(filling view: UIView, onChange: @escaping (Bool) -> Void) {
    self.onChange = onChange
    super.init(frame: view.bounds)
    autoresizingMask = [.flexibleWidth, .flexibleHeight]
    isUserInteractionEnabled = false
    view.addSubview(self)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override func layoutSubviews() {
    super.layoutSubviews()
    isLaidOut = window != nil
    onChange(isLaidOut)
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    isLaidOut = false
    setNeedsLayout()
    onChange(window != nil)
  }
}

/// An invisible subview that fills its superview, and receives its taps while a retry is possible.
final class RetryControl: UIControl {
  private let isUsed: () -> Bool

  init(filling view: UIView, isUsed: @escaping () -> Bool, onTap: @escaping () -> Void) {
    self.isUsed = isUsed
    super.init(frame: view.bounds)
    autoresizingMask = [.flexibleWidth, .flexibleHeight]
    // The second one is the click of a remote control.
    addAction(UIAction { _ in onTap() }, for: [.touchUpInside, .primaryActionTriggered])
    view.addSubview(self)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
    isUsed() && super.point(inside: point, with: event)
  }

  #if os(tvOS)
  override var canBecomeFocused: Bool { isUsed() }
  #endif
}

extension UIView {
  func addFilling(_ child: UIView) {
    child.frame = bounds
    child.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    addSubview(child)
  }

  func addCentered(_ child: UIView) {
    child.center = CGPoint(x: bounds.midX, y: bounds.midY)
    child.autoresizingMask = [
      .flexibleLeftMargin, .flexibleRightMargin, .flexibleTopMargin, .flexibleBottomMargin,
    ]
    addSubview(child)
  }
}
#endif
