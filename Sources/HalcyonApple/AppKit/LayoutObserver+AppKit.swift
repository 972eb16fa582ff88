#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import HalcyonViews

/// An invisible subview that fills its superview, reports changes of its layout, window and backing scale, and receives
/// its clicks while a retry is possible.
final class AppKitLayoutObserver: NSView {
  var isClickable: () -> Bool = { false }
  var onClick: () -> Void = {}

  /// Receives whether the view is in a window.
  private let onChange: (Bool) -> Void
  private var isLaidOut = false

  /// The size of the screen, once the window has laid out the view; zero before that.
  var screenSize: ViewSize { isLaidOut ? ViewSize((window?.screen ?? .main)?.frame.size ?? .zero) : .zero }

  init(filling view: NSView, onChange: @escaping (Bool) -> Void) {
    self.onChange = onChange
    super.init(frame: view.bounds)
    autoresizingMask = [.width, .height]
    view.addSubview(self)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  /// Passes other clicks to the view below.
  override func hitTest(_ point: CGPoint) -> NSView? { isClickable() ? super.hitTest(point) : nil }

  /// Not passed on, so that the release is received.
  override func mouseDown(with event: NSEvent) {}

  override func mouseUp(with event: NSEvent) { onClick() }

  override func setFrameSize(_ newSize: CGSize) {
    super.setFrameSize(newSize)
    onChange(window != nil)
  }

  override func layout() {
    super.layout()
    isLaidOut = window != nil
    onChange(isLaidOut)
  }

  override func viewDidMoveToWindow() {
    super.viewDidMoveToWindow()
    isLaidOut = false
    needsLayout = true
    onChange(window != nil)
  }

  override func viewDidChangeBackingProperties() {
    super.viewDidChangeBackingProperties()
    onChange(window != nil)
  }
}

extension NSView {
  func addFilling(_ child: NSView) {
    child.frame = bounds
    child.autoresizingMask = [.width, .height]
    addSubview(child)
  }
}
#endif
