#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit

/// An invisible view that fills another and tells of its layout, its window and its scale.
final class NSLayoutObserver: NSView {
  /// Gets whether the view is in a window.
  private let onChange: (Bool) -> Void

  init(frame: CGRect, onChange: @escaping (Bool) -> Void) {
    self.onChange = onChange
    super.init(frame: frame)
    autoresizingMask = [.width, .height]
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  /// Clicks are for the view below.
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
