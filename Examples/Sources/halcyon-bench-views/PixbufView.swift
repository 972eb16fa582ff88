import HalcyonGTK

/// Plays a `GdkPixbufAnimation` in a `GtkPicture`.
@MainActor
final class PixbufView {
  private let picture: UnsafeMutablePointer<GtkWidget>
  private let iterator: OpaquePointer?
  private var isStopped = false

  init(_ picture: UnsafeMutablePointer<GtkWidget>, _ animation: OpaquePointer) {
    self.picture = picture
    iterator = gdk_pixbuf_animation_get_iter(animation, nil)
    show()
  }

  func stop() { isStopped = true }

  private func show() {
    let texture = gdk_texture_new_for_pixbuf(gdk_pixbuf_animation_iter_get_pixbuf(iterator))
    gtk_picture_set_paintable(OpaquePointer(picture), texture)
    texture.map { g_object_unref(gpointer($0)) }
    let delay = guint(max(10, gdk_pixbuf_animation_iter_get_delay_time(iterator)))
    g_timeout_add_full(
      G_PRIORITY_DEFAULT, delay,
      { data in
        nonisolated(unsafe) let data = data
        MainActor.assumeIsolated { data.map { Unmanaged<PixbufView>.fromOpaque($0).takeRetainedValue().advance() } }
        return 0
      }, Unmanaged.passRetained(self).toOpaque(), nil)
  }

  private func advance() {
    guard !isStopped else {
      g_object_unref(gpointer(iterator))
      return
    }
    gdk_pixbuf_animation_iter_advance(iterator, nil)
    show()
  }
}
