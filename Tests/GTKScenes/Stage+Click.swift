#if GTK
import CHalcyonGTK
import Foundation

extension Stage {
  /// Emits `released` on the click gestures of a widget.
  func click(_ widget: UnsafeMutablePointer<GtkWidget>) throws {
    guard let controllers = gtk_widget_observe_controllers(widget) else { return }
    defer { g_object_unref(gpointer(controllers)) }
    let gestures = (0..<g_list_model_get_n_items(controllers)).compactMap { g_list_model_get_item(controllers, $0) }
    defer { for gesture in gestures { g_object_unref(gesture) } }
    let clicks = gestures.filter {
      g_type_check_instance_is_a($0.assumingMemoryBound(to: GTypeInstance.self), gtk_gesture_click_get_type()) != 0
    }
    try require(!clicks.isEmpty, "the widget has no click gesture")
    for click in clicks { emitRelease(click) }
  }

  private func emitRelease(_ gesture: gpointer) {
    let arguments = zeroedValues(4)
    defer { freeValues(arguments) }
    g_value_init(&arguments[0], gtk_gesture_click_get_type())
    g_value_set_object(&arguments[0], gesture)
    g_value_init(&arguments[1], g_type_from_name("gint"))
    g_value_set_int(&arguments[1], 1)
    for index in [2, 3] {
      g_value_init(&arguments[index], g_type_from_name("gdouble"))
      g_value_set_double(&arguments[index], 10)
    }
    g_signal_emitv(arguments.baseAddress, g_signal_lookup("released", gtk_gesture_click_get_type()), 0, nil)
  }
}

/// Zeroed memory for GValues. The struct's initializer belongs to whichever C module names it first.
func zeroedValues(_ count: Int) -> UnsafeMutableBufferPointer<GValue> {
  let first = UnsafeMutablePointer<GValue>.allocate(capacity: count)
  memset(first, 0, count * MemoryLayout<GValue>.stride)
  return UnsafeMutableBufferPointer(start: first, count: count)
}

/// Unsets and frees GValues.
func freeValues(_ values: UnsafeMutableBufferPointer<GValue>) {
  for index in values.indices { g_value_unset(&values[index]) }
  values.deallocate()
}
#endif
