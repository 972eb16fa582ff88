import Foundation
import Halcyon
import HalcyonGTK

/// Shows the origins of images, and the sizes of the caches. Its numbers may come after the window has been closed.
@MainActor
final class StatusBar {
  /// Wraps in a narrow window.
  let widget = made(gtk_flow_box_new()).styled("status")
  @WeakReference private var memory = label("0", "value")
  @WeakReference private var disk = label("0", "value")
  @WeakReference private var network = label("0", "value")
  @WeakReference private var failed = label("0", "value")
  @WeakReference private var avoided = label("0", "value")
  @WeakReference private var usage = label()

  init() {
    gtk_flow_box_set_selection_mode(widget.opaque, GTK_SELECTION_NONE)
    gtk_flow_box_set_column_spacing(widget.opaque, 22)
    gtk_flow_box_set_min_children_per_line(widget.opaque, 2)
    gtk_flow_box_set_max_children_per_line(widget.opaque, 6)
    add(memory, "from memory", dot: "memory")
    add(disk, "from disk", dot: "disk")
    add(network, "downloaded", dot: "network")
    add(avoided, "downloads avoided", dot: "avoided")
    add(failed, "failed", dot: "failed")
    append(made(usage))
  }

  func update(_ counts: OriginCounts, downloads: CountingTransport.Count, memoryByteCount: Int, diskByteCount: Int) {
    set(memory, "\(counts.memory)")
    set(disk, "\(counts.disk)")
    set(network, "\(downloads.responses) (\(Self.megabytes(downloads.bytes)))")
    set(failed, "\(counts.failed)")
    set(avoided, "\(max(0, counts.shown - downloads.responses))")
    set(usage, "\(Self.megabytes(memoryByteCount)) in memory · \(Self.megabytes(diskByteCount)) on disk")
  }

  private func add(_ value: Widget?, _ text: String, dot name: String) {
    let dot = made(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)).styled("dot", name)
    gtk_widget_set_valign(dot, GTK_ALIGN_CENTER)
    append(box(GTK_ORIENTATION_HORIZONTAL, spacing: 7, dot, made(value), label(text)))
  }

  /// Adds a part, which the keyboard does not stop at.
  private func append(_ part: Widget) {
    gtk_flow_box_insert(widget.opaque, part, -1)
    if let child = gtk_widget_get_parent(part) { gtk_widget_set_focusable(child, 0) }
  }

  private func set(_ label: Widget?, _ text: String) {
    if let label, String(cString: gtk_label_get_text(label.opaque)) != text { gtk_label_set_text(label.opaque, text) }
  }

  static func megabytes(_ count: Int) -> String { String(format: "%.1f MB", Double(count) / 1_048_576) }
}
