import HalcyonGTK

/// Screenshots of windows.
enum Screenshot {
  /// Why a screenshot could not be written.
  enum Failure: Error, CustomStringConvertible {
    case notDrawn
    case notWritten(String)

    var description: String {
      switch self {
      case .notDrawn: "The window is not drawn, so no screenshot can be taken."
      case .notWritten(let file): "“\(file)” cannot be written. Name a file in a folder that you may write to."
      }
    }
  }

  /// Writes the content of a window to a PNG file.
  @MainActor
  static func write(_ window: UnsafeMutablePointer<GtkWidget>, to file: String) throws {
    let (width, height) = (Double(gtk_widget_get_width(window)), Double(gtk_widget_get_height(window)))
    guard let paintable = gtk_widget_paintable_new(window), let snapshot = gtk_snapshot_new() else {
      throw Failure.notDrawn
    }
    defer { g_object_unref(gpointer(paintable)) }
    gdk_paintable_snapshot(paintable, snapshot, width, height)
    guard let node = gtk_snapshot_free_to_node(snapshot) else { throw Failure.notDrawn }
    defer { gsk_render_node_unref(node) }
    guard let texture = gsk_renderer_render_texture(gtk_native_get_renderer(OpaquePointer(window)), node, nil) else {
      throw Failure.notDrawn
    }
    defer { g_object_unref(gpointer(texture)) }
    guard gdk_texture_save_to_png(texture, file) != 0 else { throw Failure.notWritten(file) }
  }
}
