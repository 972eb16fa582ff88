#if GTK
import CHalcyonGTK
import Foundation

extension Stage {
  /// Emits `released` on the click gestures of a widget.
  func click(_ widget: UnsafeMutablePointer<GtkWidget>) throws {
    try emit("released", 1, 10, 10, by: gtk_gesture_click_get_type(), of: widget)
  }

  /// Emits a signal of the event controllers of one type, as if the user had done something.
  ///
  /// - Parameter numbers: The first arguments of the signal; others are `NULL` or 0.
  /// - Returns: Whether a handler has said that it has handled the event.
  @discardableResult
  func emit(
    _ signal: String, _ numbers: Double..., by type: GType, of widget: UnsafeMutablePointer<GtkWidget>
  ) throws -> Bool {
    let list = gtk_widget_observe_controllers(widget)
    defer { g_object_unref(gpointer(list)) }
    let controllers = (0..<g_list_model_get_n_items(list)).compactMap { g_list_model_get_item(list, $0) }
    defer { for controller in controllers { g_object_unref(controller) } }
    let ours = controllers.filter {
      g_type_check_instance_is_a($0.assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }
    try require(!ours.isEmpty, "the widget has no controller for “\(signal)”")
    return ours.reduce(false) { emit(signal, numbers, by: $1, of: type) || $0 }
  }

  private func emit(_ signal: String, _ numbers: [Double], by controller: gpointer, of type: GType) -> Bool {
    var query = GSignalQuery()
    g_signal_query(g_signal_lookup(signal, type), &query)
    let arguments = zeroedValues(1 + Int(query.n_params))
    let result = zeroedValues(1)
    defer { for values in [arguments, result] { freeValues(values) } }
    g_value_init(&arguments[0], type)
    g_value_set_object(&arguments[0], controller)
    for index in 0..<Int(query.n_params) {
      // A flag in the type says that the value is not copied.
      let type = query.param_types[index] & ~GType(1)
      g_value_init(&arguments[index + 1], type)
      guard numbers.indices.contains(index) else { continue }
      switch type {
      case g_type_from_name("gint"): g_value_set_int(&arguments[index + 1], gint(numbers[index]))
      case g_type_from_name("guint"): g_value_set_uint(&arguments[index + 1], guint(numbers[index]))
      default: g_value_set_double(&arguments[index + 1], numbers[index])
      }
    }
    g_value_init(&result[0], g_type_from_name("gboolean"))
    let returns = query.return_type & ~GType(1) == g_type_from_name("gboolean")
    g_signal_emitv(arguments.baseAddress, query.signal_id, 0, returns ? result.baseAddress : nil)
    return g_value_get_boolean(&result[0]) != 0
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
