import Foundation
import Halcyon
import HalcyonGTK

/// A popover with the limits of the caches, and buttons to clear them.
@MainActor
final class Settings {
  let widget = made(gtk_menu_button_new())
  var onClear: (@MainActor () -> Void)?
  private let cache: ImageCache

  init(_ cache: ImageCache) {
    self.cache = cache
    gtk_menu_button_set_icon_name(widget.opaque, "emblem-system-symbolic")
    gtk_widget_set_tooltip_text(widget, "Caches")
    let content = box(GTK_ORIENTATION_VERTICAL, spacing: 10).styled("settings")
    addRow(
      to: content, "Memory", limit: cache.memoryConfiguration.costLimit, megabyteMaximum: 1024,
      change: { cache.memoryConfiguration.costLimit = $0 }, clear: { cache.memory.removeAll() })
    addRow(
      to: content, "Disk", limit: cache.diskConfiguration?.sizeLimit ?? 0, megabyteMaximum: 2048,
      change: { cache.diskConfiguration?.sizeLimit = $0 }, clear: { Task { try await cache.disk?.removeAll() } })
    let popover = made(gtk_popover_new())
    gtk_popover_set_child(popover.cast(), content)
    gtk_menu_button_set_popover(widget.opaque, popover)
  }

  /// Adds a slider for a limit, given in bytes and shown in MB, and a button to clear the cache.
  private func addRow(
    to content: Widget, _ name: String, limit: Int, megabyteMaximum: Double, change: @escaping @MainActor (Int) -> Void,
    clear: @escaping @MainActor () -> Void
  ) {
    let scale = made(gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 16, megabyteMaximum, 16))
    gtk_widget_set_size_request(scale, 260, -1)
    gtk_scale_set_draw_value(scale.cast(), 1)
    gtk_range_set_value(scale.cast(), Double(limit) / 1_048_576)
    scale.connect("value-changed") { change(Int(gtk_range_get_value(scale.cast())) << 20) }
    let clearButton = button("Clear \(name.lowercased())") { [weak self] in
      clear()
      self?.onClear?()
    }
    gtk_box_append(content.cast(), label("\(name) limit (MB)", "heading"))
    gtk_box_append(content.cast(), scale)
    gtk_box_append(content.cast(), clearButton)
  }
}
