#if GTK
import CGTK

/// Whether somebody can see a widget: it is mapped, and in sight of the scrolled window around it if there is one.
@MainActor
final class WidgetVisibility {
  private(set) var isVisible = false
  /// Called when it comes onto the screen or leaves it.
  var onChange: (@MainActor (Bool) -> Void)?

  private let widget: UnsafeMutablePointer<GtkWidget>
  private var sight: ScrollViewport?

  init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    self.widget = widget
    Signal.connect(widget, "map") { [weak self] in self?.begin() }
    Signal.connect(widget, "unmap") { [weak self] in self?.end() }
    if gtk_widget_get_mapped(widget) != 0 { begin() }
  }

  /// Lets go of the scrolled window, since the widget is about to be gone.
  func stop() {
    sight?.leave(widget)
    (sight, onChange) = (nil, nil)
  }

  private func begin() {
    sight = ScrollViewport.around(widget)
    sight?.watch(widget) { [weak self] in self?.become($0) }
    become(sight?.contains(widget) ?? true)
  }

  private func end() {
    sight?.leave(widget)
    sight = nil
    become(false)
  }

  private func become(_ isVisible: Bool) {
    guard isVisible != self.isVisible else { return }
    self.isVisible = isVisible
    onChange?(isVisible)
  }
}

/// Tells widgets in a scrolled window whether they are in sight there, or so near that the next turn of the wheel brings
/// them.
///
/// GTK does not: what has scrolled away stays mapped, and a list has hundreds of rows beyond those that are seen.
@MainActor
final class ScrollViewport {
  /// How much around the area counts as well, as a part of its size.
  private static let margin: Float = 0.5
  /// Between two looks while it is scrolled.
  private static let interval = Duration.milliseconds(50)
  private static let key = g_quark_from_string("halcyon-sight")

  private let area: UnsafeMutablePointer<GtkWidget>
  private var watchers: [UnsafeMutablePointer<GtkWidget>: @MainActor (Bool) -> Void] = [:]
  private var alarm: FrameTimer?
  private var lastLook = Duration.zero
  /// Whether a look is to come.
  private var isWaiting = false
  /// Whether anything may have moved since the last look.
  private var hasMoved = false

  private init(_ area: UnsafeMutablePointer<GtkWidget>) {
    self.area = area
    alarm = FrameTimer(area) { [weak self] now in self?.look(at: now) }
    follow(gtk_scrolled_window_get_hadjustment)
    follow(gtk_scrolled_window_get_vadjustment)
    Signal.connect(area, "notify::hadjustment", .object) { [weak self] in
      self?.follow(gtk_scrolled_window_get_hadjustment)
    }
    Signal.connect(area, "notify::vadjustment", .object) { [weak self] in
      self?.follow(gtk_scrolled_window_get_vadjustment)
    }
    Signal.connect(area, "destroy") { [weak self] in self?.alarm?.cancel() }
  }

  /// Looks whenever an adjustment changes; one that was replaced by now only makes for looks too many.
  private func follow(_ adjustment: (OpaquePointer?) -> UnsafeMutablePointer<GtkAdjustment>?) {
    guard let adjustment = adjustment(OpaquePointer(area)) else { return }
    for signal in ["value-changed", "changed"] {
      Signal.connect(gpointer(adjustment), signal) { [weak self] in self?.lookSoon() }
    }
    lookSoon()
  }

  /// That of the innermost scrolled window around a widget, made where there is none yet; it goes with the window.
  static func around(_ widget: UnsafeMutablePointer<GtkWidget>) -> ScrollViewport? {
    guard let area = gtk_widget_get_ancestor(widget, gtk_scrolled_window_get_type()) else { return nil }
    let object = UnsafeMutableRawPointer(area).assumingMemoryBound(to: GObject.self)
    if let sight = g_object_get_qdata(object, key) {
      return Unmanaged<ScrollViewport>.fromOpaque(sight).takeUnretainedValue()
    }
    let sight = ScrollViewport(area)
    g_object_set_qdata_full(object, key, Unmanaged.passRetained(sight).toOpaque()) { sight in
      sight.map { Unmanaged<ScrollViewport>.fromOpaque($0).release() }
    }
    return sight
  }

  /// Calls `body` with what is found at each look, until the widget leaves.
  func watch(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Bool) -> Void) {
    watchers[widget] = body
    lookSoon()
  }

  func leave(_ widget: UnsafeMutablePointer<GtkWidget>) { watchers[widget] = nil }

  /// Whether a widget is in sight; a widget without a place is not.
  func contains(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
    var bounds = graphene_rect_t()
    guard gtk_widget_get_width(widget) > 0, gtk_widget_compute_bounds(widget, area, &bounds) != 0 else { return false }
    return Self.meets(bounds.origin.x, bounds.size.width, length: Float(gtk_widget_get_width(area)))
      && Self.meets(bounds.origin.y, bounds.size.height, length: Float(gtk_widget_get_height(area)))
  }

  private static func meets(_ start: Float, _ size: Float, length: Float) -> Bool {
    start < length * (1 + margin) && start + size > -length * margin
  }

  /// Something has moved, which the next layout brings about.
  private func lookSoon() {
    hasMoved = true
    guard !isWaiting, !watchers.isEmpty else { return }
    isWaiting = true
    alarm?.set(lastLook + Self.interval)
  }

  /// A frame begins; its layout is still to come, so that the look at the next one is the one that counts.
  private func look(at now: Duration) {
    isWaiting = hasMoved
    hasMoved = false
    lastLook = now
    for (widget, body) in watchers { body(contains(widget)) }
    if isWaiting { alarm?.set(now) }
  }
}
#endif
