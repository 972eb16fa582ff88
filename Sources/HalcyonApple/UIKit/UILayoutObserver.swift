#if canImport(UIKit) && !os(watchOS)
import UIKit

/// An invisible view that fills another and tells of its layout and its window.
final class UILayoutObserver: UIView {
  /// Gets whether the view is in a window.
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
