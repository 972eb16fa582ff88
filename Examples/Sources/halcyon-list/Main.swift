import Foundation
import HalcyonGTK

/// `halcyon-list URL…` shows a window with a list of images. Only visible rows have an image.
@main
enum Main {
  @MainActor static func main() {
    guard gtk_init_check() != 0, let window = gtk_window_new() else {
      print("There is no display.")
      exit(2)
    }
    MainLoop.runMainActor()
    let loop = g_main_loop_new(nil, 0)
    gtk_window_set_default_size(window.cast(), 480, 640)
    gtk_window_set_child(window.cast(), list(CommandLine.arguments.dropFirst()))
    let quit: @convention(c) (gpointer?, gpointer?) -> Void = { _, loop in g_main_loop_quit(OpaquePointer(loop)) }
    g_signal_connect_data(window, "destroy", unsafeBitCast(quit, to: GCallback.self), gpointer(loop), nil, .init(0))
    gtk_window_present(window.cast())
    g_main_loop_run(loop)
  }

  /// A scrolled list; a string list holds the URLs.
  @MainActor private static func list(_ urls: some Sequence<String>) -> UnsafeMutablePointer<GtkWidget>? {
    let model = gtk_string_list_new(nil)
    for url in urls { gtk_string_list_append(model, url) }
    let factory = gtk_signal_list_item_factory_new()
    connect(factory, "setup") { item in gtk_list_item_set_child(item, row()) }
    connect(factory, "bind") { item in
      guard let picture = picture(item),
        let url = gtk_string_object_get_string(OpaquePointer(gtk_list_item_get_item(item)))
      else {
        return
      }
      let options = ImageViewOptions(indicator: .activity, transition: .crossFade, onlyWhileVisible: true)
      picture.hc.setImage(with: URL(string: String(cString: url)), options: options)
    }
    connect(factory, "unbind") { item in picture(item)?.hc.cancel() }
    let scrolled = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(OpaquePointer(scrolled), gtk_list_view_new(gtk_no_selection_new(model), factory))
    return scrolled
  }

  /// A cell of a fixed size: the box gives the size, and the picture lies over it, which takes no part in the layout.
  @MainActor private static func row() -> UnsafeMutablePointer<GtkWidget>? {
    let (cell, frame) = (gtk_overlay_new(), gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
    gtk_widget_set_size_request(frame, 240, 160)
    gtk_overlay_set_child(OpaquePointer(cell), frame)
    let picture = gtk_picture_new()
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
    gtk_overlay_add_overlay(OpaquePointer(cell), picture)
    return cell
  }

  @MainActor private static func picture(_ item: OpaquePointer) -> UnsafeMutablePointer<GtkWidget>? {
    gtk_widget_get_last_child(gtk_list_item_get_child(item))
  }

  /// Connects to a signal of a factory, which GTK emits on the main thread.
  @MainActor private static func connect(
    _ factory: OpaquePointer?, _ signal: String, _ body: @escaping @MainActor (OpaquePointer) -> Void
  ) {
    let handler: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, data in
      nonisolated(unsafe) let (item, data) = (item, data)
      MainActor.assumeIsolated {
        guard let item, let data else { return }
        Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().body(item)
      }
    }
    let data = Unmanaged.passRetained(Handler(body)).toOpaque()
    g_signal_connect_data(gpointer(factory), signal, unsafeBitCast(handler, to: GCallback.self), data, nil, .init(0))
  }
}

/// The closure of a signal. It lives as long as the program.
@MainActor private final class Handler {
  let body: @MainActor (OpaquePointer) -> Void

  init(_ body: @escaping @MainActor (OpaquePointer) -> Void) { self.body = body }
}

extension UnsafeMutablePointer<GtkWidget> {
  /// The widget as a pointer to its own type.
  fileprivate func cast<Other>() -> UnsafeMutablePointer<Other> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
  }
}
