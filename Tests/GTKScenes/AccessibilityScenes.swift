#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Views without a mouse, and what a screen reader is told.
@MainActor
enum AccessibilityScenes {
  static func retryByKeyboard(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a.png", .status(404), .body(try SolidImage.png(.green)))
      let picture = try await stage.addPicture()
      var phases: [String] = []
      picture.hc.onPhaseChange = { phases.append($0.error != nil ? "failed" : $0.isLoading ? "loading" : "shown") }
      try stage.require(gtk_widget_get_focusable(picture) == 0, "an image can have the focus")
      picture.hc.setImage(
        with: url, options: ImageViewOptions(retriesOnTap: true), pipeline: ViewScenes.pipeline())
      try await stage.until("it has failed") { picture.hc.phase.error != nil }
      try stage.require(gtk_widget_grab_focus(picture) != 0, "a failed image cannot have the focus")
      let keys = try shortcuts(of: picture)
      try stage.require(keys.keys.sorted() == ["ISO_Enter", "KP_Enter", "KP_Space", "Return", "space"], "\(keys.keys)")
      try keys["Return"].map { try activate($0, on: picture, stage) }
      try await stage.until("it is loaded") { picture.hc.binder.content.role == .image }
      try stage.require(gtk_widget_is_focus(picture) != 0, "the focus is lost")
      let states = phases.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
      try stage.require(states == ["loading", "failed", "loading", "shown"], "\(states)")
      picture.hc.setImage(with: nil as URL?)
      try stage.require(server.requests(for: "/a.png").count == 2, "the server received another number of requests")
    }
  }

  /// The focus for a retry goes with the failure, once it has left the view. One that the program has given stays.
  static func focusAfterRetry(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a.png", .status(404), .body(try SolidImage.png(.green)))
      let picture = try await stage.addPicture()
      guard let other = gtk_button_new() else { return }
      // Its padding is no part of its width.
      stage.append(other)
      try await stage.until("it has an allocation") { gtk_widget_get_width(other) > 0 }
      picture.hc.setImage(
        with: url, options: ImageViewOptions(retriesOnTap: true), pipeline: ViewScenes.pipeline())
      try await stage.until("it has failed", within: 300) { picture.hc.phase.error != nil }
      try stage.require(gtk_widget_grab_focus(picture) != 0, "a failed image cannot have the focus")
      picture.hc.retry()
      try await stage.until("it is loaded", within: 300) { picture.hc.binder.content.role == .image }
      try stage.require(gtk_widget_get_focusable(picture) != 0, "the focus is taken away")
      gtk_widget_grab_focus(other)
      try await stage.until("it is no Tab stop", within: 60) { gtk_widget_get_focusable(picture) == 0 }
      try stage.require(gtk_widget_has_css_class(picture, "halcyon-retry") == 0, "it keeps the style of the focus")
      let own = try await stage.addPicture()
      gtk_widget_set_focusable(own, 1)
      own.hc.setImage(
        with: server.serve("/missing.png", .status(404)), options: ImageViewOptions(retriesOnTap: true),
        pipeline: ViewScenes.pipeline())
      try await stage.until("it has failed", within: 300) { own.hc.phase.error != nil }
      try stage.require(gtk_widget_has_css_class(own, "halcyon-retry") != 0, "it has no style of the focus")
      own.hc.setImage(with: nil as URL?)
      try stage.require(gtk_widget_has_css_class(own, "halcyon-retry") == 0, "it keeps the style of the focus")
      try stage.require(gtk_widget_get_focusable(own) != 0, "the focus that the program has given is taken away")
    }
  }

  /// Run with `GTK_A11Y=test`.
  static func states(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let missing = server.serve("/missing.png", .status(404))
      let picture = try await stage.addPicture()
      let accessible = OpaquePointer(picture)
      let pipeline = ViewScenes.pipeline()
      func text() -> String { gtk_picture_get_alternative_text(accessible).map { String(cString: $0) } ?? "" }
      gtk_picture_set_alternative_text(accessible, "own")
      picture.hc.setImage(with: url, pipeline: pipeline)
      try stage.require(gtk_test_accessible_has_state(accessible, GTK_ACCESSIBLE_STATE_BUSY) != 0, "it is not busy")
      try stage.require(text() == "own", "the text of the program is “\(text())”")
      gate.open()
      try await stage.until("it is loaded") { !picture.hc.isLoading }
      picture.hc.setImage(with: url, options: ImageViewOptions(alternativeText: "A green square"), pipeline: pipeline)
      try stage.require(text() == "A green square", "the text is “\(text())”")
      let label = GTK_ACCESSIBLE_PROPERTY_LABEL
      try stage.require(gtk_test_accessible_has_property(accessible, label) != 0, "it has no label")
      picture.hc.setImage(with: missing, pipeline: pipeline)
      try stage.require(text() == "", "a view that is used again has the text “\(text())”")
      try stage.require(gtk_test_accessible_has_property(accessible, label) == 0, "it keeps its label")
      try await stage.until("it has failed") { picture.hc.phase.error != nil }
      let description = GTK_ACCESSIBLE_PROPERTY_DESCRIPTION
      try stage.require(gtk_test_accessible_has_property(accessible, description) != 0, "its failure is not told")
      picture.hc.setImage(with: nil as URL?)
      try stage.require(gtk_test_accessible_has_property(accessible, description) == 0, "its failure is still told")
    }
  }

  /// The shortcuts of a widget by the names of their keys.
  private static func shortcuts(of widget: UnsafeMutablePointer<GtkWidget>) throws -> [String: OpaquePointer] {
    var found: [String: OpaquePointer] = [:]
    guard let controllers = gtk_widget_observe_controllers(widget) else { return found }
    defer { g_object_unref(gpointer(controllers)) }
    for controller in items(of: controllers) where isA(controller, gtk_shortcut_controller_get_type()) {
      for shortcut in items(of: controller) {
        let trigger = gtk_shortcut_get_trigger(shortcut)
        guard let name = gdk_keyval_name(gtk_keyval_trigger_get_keyval(trigger)) else { continue }
        found[String(cString: name)] = shortcut
      }
    }
    return found
  }

  private static func activate(
    _ shortcut: OpaquePointer, on widget: UnsafeMutablePointer<GtkWidget>, _ stage: Stage
  ) throws {
    let isHandled = gtk_shortcut_action_activate(
      gtk_shortcut_get_action(shortcut), GtkShortcutActionFlags(0), widget, nil)
    try stage.require(isHandled != 0, "the key does nothing")
  }

  /// The items of a list model, which retains them.
  private static func items(of model: OpaquePointer) -> [OpaquePointer] {
    (0..<g_list_model_get_n_items(model)).compactMap { index in
      guard let item = g_list_model_get_item(model, index) else { return nil }
      defer { g_object_unref(item) }
      return OpaquePointer(item)
    }
  }

  private static func isA(_ object: OpaquePointer, _ type: GType) -> Bool {
    g_type_check_instance_is_a(
      UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self), type) != 0
  }
}
#endif
