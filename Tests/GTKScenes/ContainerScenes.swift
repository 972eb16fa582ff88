#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK

/// Pictures whose place follows from the size of their image.
@MainActor
enum ContainerScenes {
  private typealias Widget = UnsafeMutablePointer<GtkWidget>

  /// The containers by name; each makes a widget for the window around a picture.
  private static let containers: [(name: String, make: @MainActor (Widget) -> Widget?)] = [
    (
      "centred box",
      { picture in
        let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
        gtk_box_append(box?.cast(), centered(picture))
        return box
      }
    ),
    (
      "column",
      { picture in
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_box_append(box?.cast(), picture)
        gtk_box_append(box?.cast(), gtk_label_new("caption"))
        return box
      }
    ),
    (
      "grid cell",
      { picture in
        let grid = gtk_grid_new()
        gtk_grid_attach(grid?.cast(), picture, 0, 0, 1, 1)
        gtk_grid_attach(grid?.cast(), gtk_label_new("caption"), 1, 1, 1, 1)
        return grid
      }
    ),
    (
      "button",
      { picture in
        let button = gtk_button_new()
        gtk_button_set_child(button?.cast(), picture)
        return button.map { centered($0) }
      }
    ),
    (
      "overlay",
      { picture in
        let overlay = gtk_overlay_new()
        gtk_overlay_set_child(overlay.opaque, gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        gtk_overlay_add_overlay(overlay.opaque, centered(picture))
        return overlay
      }
    ),
    (
      "popover",
      { picture in
        let (button, popover) = (gtk_menu_button_new(), gtk_popover_new())
        gtk_popover_set_child(popover?.cast(), picture)
        gtk_popover_set_autohide(popover?.cast(), 0)
        gtk_menu_button_set_popover(button.opaque, popover)
        return button.map { centered($0) }
      }
    ),
    (
      "flow box",
      { picture in
        let box = gtk_flow_box_new()
        gtk_flow_box_insert(box.opaque, picture, -1)
        gtk_widget_set_valign(box, GTK_ALIGN_START)
        return box
      }
    ),
    (
      "stack page",
      { picture in
        let stack = gtk_stack_new()
        gtk_stack_add_named(stack.opaque, gtk_label_new("first"), "first")
        gtk_stack_add_named(stack.opaque, centered(picture), "picture")
        gtk_stack_set_visible_child_name(stack.opaque, "picture")
        return stack
      }
    ),
    (
      "revealer",
      { picture in
        let revealer = gtk_revealer_new()
        gtk_revealer_set_child(revealer.opaque, picture)
        gtk_revealer_set_reveal_child(revealer.opaque, 1)
        return revealer.map { centered($0) }
      }
    ),
    (
      "expander",
      { picture in
        let expander = gtk_expander_new("more")
        gtk_expander_set_child(expander.opaque, picture)
        gtk_expander_set_expanded(expander.opaque, 1)
        return expander.map { centered($0) }
      }
    ),
    (
      "row of a list",
      { picture in
        guard let factory = gtk_signal_list_item_factory_new() else { return nil }
        factory.connect("setup") { (item: OpaquePointer) in gtk_list_item_set_child(item, picture) }
        let texts = gtk_string_list_new(nil)
        gtk_string_list_append(texts, "row")
        let list = gtk_list_view_new(gtk_no_selection_new(texts), factory)
        gtk_widget_set_valign(list, GTK_ALIGN_START)
        return list
      }
    ),
  ]

  private static func centered(_ widget: Widget) -> Widget {
    gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
    return widget
  }

  static func naturalSize(_ stage: Stage) async throws {
    // A window that is shown, in place of the stage's own.
    _ = try await stage.addPicture(width: 10, height: 10)
    for (width, height) in [(300, 200), (3000, 2000), (40, 90)] {
      let data = try SolidImage.png(.green, width: width, height: height)
      let file = FileManager.default.temporaryDirectory.appending(path: "halcyon-container-\(UUID().uuidString).png")
      try data.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      for container in containers {
        let name = "\(container.name), \(width)x\(height)"
        let expected = try await size(in: container.make, "GTK's picture: \(name)", stage) { picture in
          gtk_picture_set_filename(picture.opaque, file.path())
        }
        let outcome = Outcome()
        _ = try await size(in: container.make, name, stage, expected: expected) { picture in
          picture.hc.setImage(with: file, pipeline: ViewScenes.pipeline(), completion: outcome.take)
        }
        // An empty picture is 16 points wide, for which no image is decoded.
        let first = try outcome.last?.get().image.size
        try stage.require(first != nil && first?.width != 16, "\(name): first decoded at \(first as Any)")
      }
    }
  }

  /// The size of a picture in a container, once it has the expected one, or does not change for some frames.
  private static func size(
    in make: (Widget) -> Widget?, _ name: String, _ stage: Stage, expected: [gint]? = nil, show: (Widget) -> Void
  ) async throws -> [gint] {
    guard let window = gtk_window_new(), let picture = gtk_picture_new(), let child = make(picture) else { return [] }
    g_object_ref_sink(gpointer(picture))
    defer {
      gtk_window_destroy(window.cast())
      g_object_unref(gpointer(picture))
    }
    gtk_window_set_default_size(window.cast(), 700, 500)
    gtk_window_set_child(window.cast(), child)
    gtk_window_present(window.cast())
    let popover =
      g_type_check_instance_is_a(
        UnsafeMutableRawPointer(child).assumingMemoryBound(to: GTypeInstance.self), gtk_menu_button_get_type()) != 0
    // A picture that was laid out before it gets its image.
    for _ in 0..<3 { await stage.nextFrame() }
    if popover { gtk_menu_button_popup(child.opaque) }
    show(picture)
    var sizes: [[gint]] = []
    while sizes.count < 3000 {
      await stage.nextFrame()
      sizes.append([gtk_widget_get_width(picture), gtk_widget_get_height(picture)])
      if let expected {
        let (image, scale) = (picture.hc.binder.content.image?.size, Double(gtk_widget_get_scale_factor(picture)))
        let needed = min(Double(expected[0]) * scale, Double(picture.hc.binder.content.naturalSize?.width ?? 0))
        // As sharp as the file, or as the picture needs: it has the whole image in its width or its height.
        let isSharp = image.map { Double($0.width) >= needed - 1 || $0.height >= Int(expected[1]) } ?? false
        if sizes.last == expected, isSharp { return expected }
      } else if sizes.count > 30, Set(sizes.suffix(20)).count == 1 {
        return sizes[sizes.count - 1]
      }
    }
    let image = picture.hc.binder.content.image?.size
    throw Stage.Failure(description: "\(name): \(sizes.last ?? []) with \(image as Any), not \(expected ?? [])")
  }
}
#endif
