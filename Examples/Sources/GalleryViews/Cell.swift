import Halcyon
import HalcyonGTK

/// A reusable cell of the grid.
@MainActor
final class Cell {
  static let width: Int32 = 250
  static let height: Int32 = 188

  let widget: Widget
  let picture = made(gtk_picture_new())
  private let badge = label("", "badge")
  private let caption = label("", "caption")

  init() {
    widget = made(gtk_overlay_new()).styled("cell")
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN)
    gtk_picture_set_content_fit(picture.opaque, GTK_CONTENT_FIT_COVER)
    gtk_widget_set_size_request(picture, Self.width, Self.height)
    gtk_overlay_set_child(widget.opaque, picture)
    gtk_widget_set_valign(caption, GTK_ALIGN_END)
    gtk_label_set_ellipsize(caption.opaque, PANGO_ELLIPSIZE_END)
    gtk_widget_set_halign(badge, GTK_ALIGN_END)
    gtk_widget_set_valign(badge, GTK_ALIGN_START)
    for part in [caption, badge] {
      gtk_widget_set_can_target(part, 0)
      gtk_overlay_add_overlay(widget.opaque, part)
    }
  }

  /// The size of the image in device pixels, or `nil` before the cell has an allocation.
  var targetSize: TargetSize? {
    let scale = Int(gtk_widget_get_scale_factor(picture))
    let (width, height) = (Int(gtk_widget_get_width(picture)) * scale, Int(gtk_widget_get_height(picture)) * scale)
    return width > 0 && height > 0 ? .fill(width: width, height: height) : nil
  }

  /// Whether any part of the cell is in the viewport of a scrolled window.
  func isVisible(in scrolledWindow: Widget) -> Bool {
    var bounds = graphene_rect_t()
    guard gtk_widget_get_mapped(widget) != 0, gtk_widget_compute_bounds(widget, scrolledWindow, &bounds) != 0 else {
      return false
    }
    return bounds.origin.y < Float(gtk_widget_get_height(scrolledWindow)) && bounds.origin.y + bounds.size.height > 0
  }

  func show(_ item: Item, pipeline: ImagePipeline, completion: @escaping ImageViewBinder.Completion) {
    gtk_label_set_text(badge.opaque, item.badge)
    gtk_label_set_text(caption.opaque, item.title)
    var options = ImageViewOptions()
    options.indicator = .activity
    options.transition = .crossFade(.milliseconds(220))
    options.onlyWhileVisible = true
    options.failure = .shows(.icon("image-missing-symbolic"))
    picture.hc.setImage(with: item.url, options: options, pipeline: pipeline, completion: completion)
  }

  func cancel() {
    picture.hc.cancel()
  }
}
