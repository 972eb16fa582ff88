import Halcyon
import HalcyonGTK

/// A reusable cell of the grid. All cells have one size, whatever their images and the window are.
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
    gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
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

  /// The size of the image in device pixels. A crop takes more from the bottom: heads are at the top.
  var targetSize: TargetSize {
    let scale = Int(gtk_widget_get_scale_factor(picture))
    let (width, height) = (Int(Self.width) * scale, Int(Self.height) * scale)
    return .fill(width: width, height: height, anchor: CropAnchor(x: 0.5, y: 0.15))
  }

  /// Whether any part of the cell is in the viewport of a scrolled window.
  func isVisible(in scrolledWindow: Widget) -> Bool {
    var bounds = graphene_rect_t()
    guard gtk_widget_get_mapped(widget) != 0, gtk_widget_compute_bounds(widget, scrolledWindow, &bounds) != 0 else {
      return false
    }
    return bounds.origin.y < Float(gtk_widget_get_height(scrolledWindow)) && bounds.origin.y + bounds.size.height > 0
  }

  func show(_ item: Item, pipeline: ImagePipeline, completion: @escaping ImageViewProxy.Completion) {
    gtk_label_set_text(badge.opaque, item.badge)
    gtk_label_set_text(caption.opaque, item.title)
    gtk_widget_set_tooltip_text(widget, nil)
    var options = ImageViewOptions()
    options.indicator = .activity
    options.transition = .crossFade(.milliseconds(220))
    options.onlyWhileVisible = true
    options.failure = .shows(.icon("image-missing-symbolic"))
    options.alternativeText = item.title
    let request = ImageRequest(url: item.url, size: targetSize)
    picture.hc.setImage(with: request, options: options, pipeline: pipeline) { [weak self] result in
      self?.explain(result)
      completion(result)
    }
  }

  /// Makes the tooltip of a failed image its error.
  private func explain(_ result: Result<ImageResponse, ImageViewError>) {
    switch result {
    case .success, .failure(.superseded), .failure(.cancelled): break
    case .failure(let error): gtk_widget_set_tooltip_text(widget, "\(error)")
    }
  }

  func cancel() {
    picture.hc.cancel()
  }
}
