#if canImport(CHalcyonGTK)
import CHalcyonGTK
import Foundation
import HalcyonViews

/// The mouse, touch and keyboard of a ``ZoomableView``.
@MainActor
final class ZoomGestures {
  /// The change of the zoom by a key or a step of a wheel.
  private static let step = 1.25
  /// The points by which an arrow key or a step of a wheel moves the image, and the points that are a step of a touchpad.
  private static let (panStep, touchpadStep) = (64.0, 30.0)
  /// The points from which on a movement of the pressed mouse is a drag.
  private static let threshold = 8.0

  private unowned let view: ZoomableView
  private let widget: UnsafeMutablePointer<GtkWidget>
  private var pointer = ZoomGeometry.Point(x: 0, y: 0)
  private var dragged = ZoomGeometry.Point(x: 0, y: 0)
  private var isDragging = false
  /// Whether Ctrl was pressed when the wheel was turned last.
  private var isZooming = false
  /// The zoom at the begin of a pinch, and the middle of the fingers.
  private var pinch: (zoom: Double, place: ZoomGeometry.Point)?

  init(_ view: ZoomableView, _ widget: UnsafeMutablePointer<GtkWidget>) {
    (self.view, self.widget) = (view, widget)
    addKeys()
    addScrolling()
    addDragging()
    addPinching()
    addDoubleClick()
  }

  private func add(_ controller: OpaquePointer?) -> OpaquePointer? {
    if let controller { gtk_widget_add_controller(widget, controller) }
    return controller
  }

  private func addKeys() {
    add(gtk_event_controller_key_new())?.connect("key-pressed") { [weak self] (key: Int) in self?.press(key) ?? false }
  }

  private func press(_ key: Int) -> Bool {
    guard let geometry = view.geometry else { return false }
    let canPan = geometry.canPan
    switch Int32(key) {
    case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add:
      view.zoomSmoothly(to: geometry.zoom * Self.step, around: geometry.middle)
    case GDK_KEY_minus, GDK_KEY_KP_Subtract:
      view.zoomSmoothly(to: geometry.zoom / Self.step, around: geometry.middle)
    case GDK_KEY_0, GDK_KEY_KP_0: view.zoomSmoothly(to: geometry.fittingZoom, around: geometry.middle)
    case GDK_KEY_Left where canPan: pan(Self.panStep, 0)
    case GDK_KEY_Right where canPan: pan(-Self.panStep, 0)
    case GDK_KEY_Up where canPan: pan(0, Self.panStep)
    case GDK_KEY_Down where canPan: pan(0, -Self.panStep)
    default: return false
    }
    return true
  }

  private func pan(_ x: Double, _ y: Double) {
    let way = view.point(x, y)
    view.stopMotion()
    view.change { $0.pan(x: way.x, y: way.y) }
  }

  private func addScrolling() {
    add(gtk_event_controller_motion_new())?.connect("motion") { [weak self] (x: Double, y: Double) in
      if let self { pointer = view.point(x, y) }
    }
    let flags = GtkEventControllerScrollFlags(
      GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES.rawValue | GTK_EVENT_CONTROLLER_SCROLL_KINETIC.rawValue)
    guard let scroll = add(gtk_event_controller_scroll_new(flags)) else { return }
    scroll.connect("scroll") { [weak self] (x: Double, y: Double) in
      let state = gtk_event_controller_get_current_event_state(scroll)
      let isWheel = gtk_event_controller_scroll_get_unit(scroll) == GDK_SCROLL_UNIT_WHEEL
      return self?.scroll(x, y, isWheel: isWheel, zooms: state.rawValue & GDK_CONTROL_MASK.rawValue != 0) ?? false
    }
    scroll.connect("decelerate") { [weak self] (x: Double, y: Double) in
      if let self, !isZooming { view.fling(view.point(-x, -y)) }
    }
  }

  private func scroll(_ x: Double, _ y: Double, isWheel: Bool, zooms: Bool) -> Bool {
    isZooming = zooms
    guard let geometry = view.geometry, zooms || geometry.canPan else { return false }
    if zooms {
      let steps = isWheel ? y : y / Self.touchpadStep
      view.stopMotion()
      view.change { $0.zoom(to: $0.zoom * pow(Self.step, -steps), around: pointer) }
    } else {
      let points = isWheel ? Self.panStep : 1
      pan(-x * points, -y * points)
    }
    return true
  }

  private func addDragging() {
    guard let drag = add(gtk_gesture_drag_new()), let swipe = add(gtk_gesture_swipe_new()) else { return }
    gtk_gesture_group(drag, swipe)
    drag.connect("drag-begin") { [weak self] in
      guard let self else { return }
      view.stopMotion()
      gtk_widget_grab_focus(widget)
      (dragged, isDragging) = (ZoomGeometry.Point(x: 0, y: 0), false)
    }
    drag.connect("drag-update") { [weak self] (x: Double, y: Double) in
      guard let self, view.geometry?.canPan == true else { return }
      if !isDragging, max(abs(x), abs(y)) < Self.threshold { return }
      // A scrolled window around the view does not move, too.
      if !isDragging { gtk_gesture_set_state(drag, GTK_EVENT_SEQUENCE_CLAIMED) }
      isDragging = true
      pan(x - dragged.x, y - dragged.y)
      dragged = ZoomGeometry.Point(x: x, y: y)
    }
    swipe.connect("swipe") { [weak self] (x: Double, y: Double) in
      if let self, isDragging { view.fling(view.point(x, y)) }
    }
  }

  private func addPinching() {
    guard let gesture = add(gtk_gesture_zoom_new()) else { return }
    gesture.connect("begin") { [weak self] in
      guard let self, let geometry = view.geometry else { return }
      view.stopMotion()
      pinch = (geometry.zoom, place(of: gesture) ?? geometry.middle)
      gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED)
    }
    gesture.connect("scale-changed") { [weak self] (scale: Double) in
      guard let self, let pinch else { return }
      let place = place(of: gesture) ?? pinch.place
      view.change {
        // Both fingers may move the image as well.
        $0.pan(x: place.x - pinch.place.x, y: place.y - pinch.place.y)
        $0.zoom(to: pinch.zoom * scale, around: place)
      }
      self.pinch?.place = place
    }
  }

  private func place(of gesture: OpaquePointer) -> ZoomGeometry.Point? {
    var (x, y) = (0.0, 0.0)
    guard gtk_gesture_is_active(gesture) != 0, gtk_gesture_get_bounding_box_center(gesture, &x, &y) != 0 else {
      return nil
    }
    return view.point(x, y)
  }

  private func addDoubleClick() {
    add(gtk_gesture_click_new())?.connect("released") { [weak self] (count: Int, x: Double, y: Double) in
      guard count == 2, let self, let geometry = view.geometry else { return }
      let isFitting = geometry.isFitting
      let target = isFitting ? max(1, 2 * geometry.fittingZoom) : geometry.fittingZoom
      view.zoomSmoothly(to: target, around: view.point(x, y))
    }
  }
}
#endif
