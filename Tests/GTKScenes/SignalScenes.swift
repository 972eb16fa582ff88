#if GTK
import CHalcyonGTK
import Foundation
import HalcyonGTK

/// Closures connected to signals.
@MainActor
enum SignalScenes {
  private final class Token {}

  @MainActor
  private final class Flag {
    var isSet = true
  }

  static func arguments(_ stage: Stage) async throws {
    var seen: [String] = []
    guard let list = gtk_string_list_new(nil), let adjustment = gtk_adjustment_new(0, 0, 100, 1, 10, 10) else {
      throw Stage.Failure(description: "GTK cannot create objects")
    }
    list.connect("items-changed") { (position: Int, removed: Int, added: Int) in
      seen.append("\(position) \(removed) \(added)")
    }
    list.connect("items-changed") { (position: Int) in seen.append("first \(position)") }
    gtk_string_list_append(list, "a")
    adjustment.connect("value-changed") { seen.append("value") }
    adjustment.connect("notify::value") { (property: OpaquePointer) in
      seen.append(String(cString: g_param_spec_get_name(property.cast())))
    }
    gtk_adjustment_set_value(adjustment, 7)
    let provider = gtk_css_provider_new()
    provider?.connect("parsing-error") { (section: OpaquePointer, error: OpaquePointer?) in
      seen.append("error \(error != nil)")
    }
    gtk_shim_load_css(provider, "a {")
    try stage.require(
      Set(seen) == ["0 0 1", "first 0", "value", "value", "error true"], "the closures were called with \(seen)")
  }

  static func results(_ stage: Stage) async throws {
    guard let window = gtk_window_new() else { throw Stage.Failure(description: "GTK cannot create a window") }
    let isKept = Flag()
    var closeCount = 0
    window.connect("close-request") {
      closeCount += 1
      return isKept.isSet
    }
    gtk_window_present(window.cast())
    gtk_window_close(window.cast())
    try await stage.until("the window was asked") { closeCount == 1 }
    try stage.require(gtk_widget_get_visible(window) != 0, "the window has closed although the closure handled that")
    isKept.isSet = false
    var isDestroyed = false
    window.connect("destroy") { isDestroyed = true }
    gtk_window_close(window.cast())
    try await stage.until("the window has closed") { isDestroyed }
    // A result is ignored by a signal that has none.
    guard let adjustment = gtk_adjustment_new(0, 0, 100, 1, 10, 10) else { return }
    var values: [Double] = []
    adjustment.connect("value-changed") { () -> Bool in
      values.append(gtk_adjustment_get_value(adjustment))
      return true
    }
    adjustment.connect("value-changed") { values.append(-gtk_adjustment_get_value(adjustment)) }
    gtk_adjustment_set_value(adjustment, 7)
    try stage.require(values == [7, -7], "the closures were called with \(values)")
    g_object_unref(gpointer(g_object_ref_sink(gpointer(adjustment))))
  }

  /// Results other than truth values reach GTK.
  static func resultTypes(_ stage: Stage) async throws {
    guard let source = gtk_drag_source_new(), let scale = gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, nil),
      let target = gtk_drop_target_new(g_type_from_name("gchararray"), GDK_ACTION_COPY)
    else { throw Stage.Failure(description: "GTK cannot create objects") }
    defer { for object in [source, target] { g_object_unref(gpointer(object)) } }
    let finalizations = FinalizationCounter()
    source.connect("prepare") { (x: Double, y: Double) -> OpaquePointer? in
      var value = GValue()
      g_value_init(&value, g_type_from_name("gchararray"))
      g_value_set_string(&value, "\(x) \(y)")
      defer { g_value_unset(&value) }
      let provider = gdk_content_provider_new_for_value(&value)
      if let provider { finalizations.watch(gpointer(provider)) }
      return provider.map { OpaquePointer($0) }
    }
    let prepared = emit("prepare", on: source, [1.5, 2], result: gdk_content_provider_get_type())
    let provider = g_value_get_object(prepared)
    try stage.require(provider != nil, "the provider of a drag is lost")
    free(prepared)
    try stage.require(finalizations.count == 1, "the provider of a drag is kept")
    target.connect("enter") { GDK_ACTION_COPY }
    let entered = emit("enter", on: target, [0, 0], result: gdk_drag_action_get_type())
    try stage.require(g_value_get_flags(entered) == GDK_ACTION_COPY.rawValue, "the action of a drop is lost")
    free(entered)
    g_object_ref_sink(gpointer(scale))
    scale.connect("move-slider") {}
    g_object_unref(gpointer(scale))
  }

  private static func emit(
    _ signal: String, on object: OpaquePointer, _ arguments: [Double], result: GType
  ) -> UnsafeMutablePointer<GValue> {
    var values = [GValue()]
    g_value_init(&values[0], g_type_from_name("GObject"))
    g_value_set_object(&values[0], gpointer(object))
    for argument in arguments {
      var value = GValue()
      g_value_init(&value, g_type_from_name("gdouble"))
      g_value_set_double(&value, argument)
      values.append(value)
    }
    let returned = UnsafeMutablePointer<GValue>.allocate(capacity: 1)
    returned.initialize(to: GValue())
    g_value_init(returned, result)
    let type = UnsafeMutablePointer<GTypeInstance>(object).pointee.g_class.pointee.g_type
    g_signal_emitv(&values, g_signal_lookup(signal, type), 0, returned)
    g_value_unset(&values[0])
    return returned
  }

  private static func free(_ value: UnsafeMutablePointer<GValue>) {
    g_value_unset(value)
    value.deallocate()
  }

  static func released(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    weak var destroyed: Token?
    weak var disconnected: Token?
    do {
      let (one, other) = (Token(), Token())
      (destroyed, disconnected) = (one, other)
      // A cycle, as a view model makes that keeps its widget.
      picture.connect("map") { _ = (one, picture) }
      let handler = picture.connect("unmap") { _ = other }
      try stage.require(destroyed != nil && disconnected != nil, "a closure was released while it is connected")
      g_signal_handler_disconnect(gpointer(picture), handler)
    }
    try stage.require(disconnected == nil, "a disconnected closure is kept")
    stage.remove(picture)
    try stage.require(destroyed == nil, "the closure of a destroyed widget is kept")
  }

  /// The widgets of a window, as a program keeps them.
  @MainActor
  private final class Widgets {
    @WeakReference var picture: UnsafeMutablePointer<GtkWidget>?
    @WeakReference var model: OpaquePointer?
  }

  static func references(_ stage: Stage) async throws {
    let widgets = Widgets()
    try stage.require(widgets.picture == nil, "a new reference is to \(String(describing: widgets.picture))")
    widgets.picture = try await stage.addPicture()
    guard let picture = widgets.picture else { throw Stage.Failure(description: "the picture on the screen is nil") }
    g_object_ref(gpointer(picture))
    stage.remove(picture)
    try stage.require(widgets.picture == picture, "the picture is nil while the program has it")
    g_object_unref(gpointer(picture))
    try stage.require(widgets.picture == nil, "the freed picture is \(String(describing: widgets.picture))")

    let (one, other) = (gtk_string_list_new(nil), gtk_string_list_new(nil))
    widgets.model = one
    widgets.model = other
    g_object_unref(gpointer(one))
    try stage.require(widgets.model == other, "a reference that was set again is to its first object")
    g_object_unref(gpointer(other))
    try stage.require(widgets.model == nil, "the freed model is \(String(describing: widgets.model))")
  }
}
#endif
