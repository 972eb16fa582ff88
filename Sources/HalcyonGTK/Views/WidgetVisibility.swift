#if canImport(CHalcyonGTK)
import CHalcyonGTK

/// Whether a widget is visible: mapped in a window that is neither minimised nor suspended and, inside a scrolled window, in
/// or near its viewport.
@MainActor
final class WidgetVisibility {
  private(set) var isVisible = false
  /// Called when ``isVisible`` has changed.
  var onChange: (@MainActor (Bool) -> Void)?

  private let widget: UnsafeMutablePointer<GtkWidget>
  private var viewport: ScrollViewport?
  private var toplevel: ToplevelState?
  /// Whether the widget is mapped, and in or near the viewport.
  private var isInSight = false

  init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    self.widget = widget
    widget.connect("map") { [weak self] in self?.didMap() }
    widget.connect("unmap") { [weak self] in self?.didUnmap() }
    if gtk_widget_get_mapped(widget) != 0 { didMap() }
  }

  /// Stops observing the scrolled window. Called when the widget is about to be destroyed.
  func stop() {
    viewport?.removeObserver(widget)
    toplevel?.removeObserver(widget)
    (viewport, toplevel, onChange) = (nil, nil, nil)
  }

  private func didMap() {
    toplevel = ToplevelState.of(widget)
    toplevel?.addObserver(widget) { [weak self] in self?.update() }
    viewport = ScrollViewport.around(widget)
    viewport?.addObserver(widget) { [weak self] in self?.update(isInSight: $0) }
    update(isInSight: viewport?.contains(widget) ?? true)
  }

  private func didUnmap() {
    viewport?.removeObserver(widget)
    toplevel?.removeObserver(widget)
    (viewport, toplevel) = (nil, nil)
    update(isInSight: false)
  }

  private func update(isInSight: Bool) {
    self.isInSight = isInSight
    update()
  }

  private func update() {
    let isVisible = isInSight && toplevel?.isHidden != true
    guard isVisible != self.isVisible else { return }
    self.isVisible = isVisible
    onChange?(isVisible)
  }
}

/// Notifies widgets whether they are in the viewport of a scrolled window, or up to half a page outside of it.
///
/// GTK does not report this: widgets that are scrolled out of the viewport stay mapped, and a list view keeps hundreds
/// of rows outside of it.
@MainActor
private final class ScrollViewport {
  /// The margin on each side that counts as visible, as a fraction of the viewport's size.
  private static let margin: Float = 0.5
  /// The shortest time between two checks while scrolling.
  private static let interval = Duration.milliseconds(50)
  private static let key = g_quark_from_string("halcyon-scroll-viewport")

  private let scrolledWindow: UnsafeMutablePointer<GtkWidget>
  private var observers: [UnsafeMutablePointer<GtkWidget>: @MainActor (Bool) -> Void] = [:]
  private var timer: FrameTimer?
  private var lastCheckTime = Duration.zero
  private var isCheckScheduled = false
  /// Whether the adjustments or the observers have changed since the last check.
  private var hasChanged = false

  private init(_ scrolledWindow: UnsafeMutablePointer<GtkWidget>) {
    self.scrolledWindow = scrolledWindow
    timer = FrameTimer(scrolledWindow) { [weak self] now in self?.check(at: now) }
    observe(gtk_scrolled_window_get_hadjustment)
    observe(gtk_scrolled_window_get_vadjustment)
    scrolledWindow.connect("notify::hadjustment") { [weak self] in
      self?.observe(gtk_scrolled_window_get_hadjustment)
    }
    scrolledWindow.connect("notify::vadjustment") { [weak self] in
      self?.observe(gtk_scrolled_window_get_vadjustment)
    }
    scrolledWindow.connect("destroy") { [weak self] in self?.timer?.cancel() }
  }

  /// Schedules a check at each change of an adjustment. Handlers of a replaced adjustment stay connected, which at
  /// worst causes needless checks.
  private func observe(_ adjustment: (OpaquePointer?) -> UnsafeMutablePointer<GtkAdjustment>?) {
    guard let adjustment = adjustment(OpaquePointer(scrolledWindow)) else { return }
    for signal in ["value-changed", "changed"] {
      adjustment.connect(signal) { [weak self] in self?.scheduleCheck() }
    }
    scheduleCheck()
  }

  /// The viewport of the innermost scrolled window around a widget, created at the first call and owned by the window.
  static func around(_ widget: UnsafeMutablePointer<GtkWidget>) -> ScrollViewport? {
    guard let scrolledWindow = gtk_widget_get_ancestor(widget, gtk_scrolled_window_get_type()) else { return nil }
    return scrolledWindow.owned(under: key) ?? scrolledWindow.own(ScrollViewport(scrolledWindow), under: key)
  }

  /// Calls `body` at each check with whether the widget is visible, until the observer is removed.
  func addObserver(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Bool) -> Void) {
    observers[widget] = body
    scheduleCheck()
  }

  func removeObserver(_ widget: UnsafeMutablePointer<GtkWidget>) { observers[widget] = nil }

  /// Whether a widget is within the viewport and its margin; `false` for a widget without an allocation.
  func contains(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
    var bounds = graphene_rect_t()
    guard gtk_widget_get_width(widget) > 0, gtk_widget_compute_bounds(widget, scrolledWindow, &bounds) != 0 else {
      return false
    }
    let (width, height) = (gtk_widget_get_width(scrolledWindow), gtk_widget_get_height(scrolledWindow))
    return Self.intersects(bounds.origin.x, bounds.size.width, length: Float(width))
      && Self.intersects(bounds.origin.y, bounds.size.height, length: Float(height))
  }

  private static func intersects(_ start: Float, _ size: Float, length: Float) -> Bool {
    start < length * (1 + margin) && start + size > -length * margin
  }

  private func scheduleCheck() {
    hasChanged = true
    guard !isCheckScheduled, !observers.isEmpty else { return }
    isCheckScheduled = true
    timer?.set(lastCheckTime + Self.interval)
  }

  /// Checks all observers at the start of a frame. After a change it runs once more in the next frame, since the layout
  /// of this frame is still to come.
  private func check(at now: Duration) {
    isCheckScheduled = hasChanged
    hasChanged = false
    lastCheckTime = now
    for (widget, body) in observers { body(contains(widget)) }
    if isCheckScheduled { timer?.set(now) }
  }
}
#endif
