package import Halcyon
package import HalcyonGTK

/// The window of the gallery: a grid, a detail page and a status bar.
@MainActor
package final class GalleryWindow {
  /// The window.
  package let window: UnsafeMutablePointer<GtkWidget>
  /// The vertical adjustment of the grid.
  package var adjustment: UnsafeMutablePointer<GtkAdjustment> { grid.adjustment }
  /// Called when the window is closed.
  package var onClose: (@MainActor () -> Void)?

  private let pipeline: ImagePipeline
  private let transport: CountingTransport
  private let grid: GridPage
  private let detail: DetailPage
  private let status = StatusBar()
  private let settings: Settings
  private let stack = made(gtk_stack_new())
  private let header = made(gtk_header_bar_new())
  @WeakReference private var backButton: Widget?
  private var counts = OriginCounts()
  private var diskByteCount = 0

  /// Creates a window of images.
  ///
  /// - Parameter transport: The transport of `pipeline`, whose downloads the status bar shows.
  package init(_ items: [Item], pipeline: ImagePipeline, transport: CountingTransport) {
    Style.apply()
    ColorScheme.follow()
    self.pipeline = pipeline
    self.transport = transport
    grid = GridPage(items, pipeline: pipeline)
    detail = DetailPage(items, pipeline: pipeline)
    settings = Settings(pipeline.cache)
    window = made(gtk_window_new()).styled("gallery")
    gtk_window_set_title(window.cast(), "Halcyon · \(items.count) images")
    gtk_window_set_default_size(window.cast(), 1120, 760)
    build()
    watch()
  }

  /// Shows the window.
  package func present() { gtk_window_present(window.cast()) }

  /// Whether all visible images have been loaded.
  package var isSettled: Bool { isShowingDetail ? detail.isSettled : grid.isSettled }

  /// Shows one image on the detail page.
  package func open(_ position: Int) {
    gtk_stack_set_visible_child_name(stack.opaque, "detail")
    if let backButton { gtk_widget_set_visible(backButton, 1) }
    detail.show(position, thumbnail: grid.targetSize)
  }

  /// Returns to the grid.
  package func close() {
    detail.cancel()
    if let backButton { gtk_widget_set_visible(backButton, 0) }
    gtk_stack_set_visible_child_name(stack.opaque, "grid")
    grid.focus(detail.position)
  }

  /// Updates the status bar.
  package func updateStatus() {
    Task {
      // The old size stays when the disk cache cannot be read; loads report its errors.
      diskByteCount = (try? await pipeline.cache.byteCount(of: .store)) ?? diskByteCount
      let memory = (try? await pipeline.cache.byteCount(of: .memory)) ?? 0
      status.update(counts, downloads: transport.current, memoryByteCount: memory, diskByteCount: diskByteCount)
    }
  }

  private var isShowingDetail: Bool { String(cString: gtk_stack_get_visible_child_name(stack.opaque)) == "detail" }

  private func build() {
    gtk_stack_add_named(stack.opaque, grid.widget, "grid")
    gtk_stack_add_named(stack.opaque, detail.widget, "detail")
    gtk_stack_set_transition_type(stack.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
    gtk_widget_set_vexpand(stack, 1)
    let back = button(icon: "go-previous-symbolic", tooltip: "Back (Escape)") { [weak self] in self?.close() }
    gtk_widget_set_visible(back, 0)
    backButton = back
    gtk_header_bar_pack_start(header.opaque, back)
    gtk_header_bar_pack_end(header.opaque, settings.widget)
    let reload = button(icon: "view-refresh-symbolic", tooltip: "Reload the visible images") { [weak self] in
      self?.grid.reload()
    }
    gtk_header_bar_pack_end(header.opaque, reload)
    gtk_window_set_titlebar(window.cast(), header)
    gtk_window_set_child(window.cast(), box(GTK_ORIENTATION_VERTICAL, stack, status.widget))
  }

  private func watch() {
    grid.onOpen = { [weak self] in self?.open($0) }
    grid.onShow = { [weak self] in self?.counts.add($0) }
    detail.onShow = { [weak self] in self?.counts.add($0) }
    settings.onClear = { [weak self] in self?.updateStatus() }
    window.connect("destroy") { [weak self] in self?.onClose?() }
    guard let keys = gtk_event_controller_key_new() else { return }
    keys.connect("key-pressed") { [weak self] (key: Int) in self?.press(guint(key)) ?? false }
    gtk_widget_add_controller(window, keys)
  }

  private func press(_ key: guint) -> Bool {
    guard isShowingDetail else { return false }
    switch Int32(key) {
    case GDK_KEY_Escape: close()
    case GDK_KEY_Left: detail.step(-1)
    case GDK_KEY_Right: detail.step(1)
    default: return false
    }
    return true
  }
}
