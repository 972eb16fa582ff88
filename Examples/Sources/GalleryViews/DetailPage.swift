import Foundation
import Halcyon
import HalcyonGTK

/// One image as large as the window, with progressive previews and animation, into which one can zoom.
@MainActor
final class DetailPage {
  let widget: Widget
  var onShow: (@MainActor (Result<ImageResponse, ImageViewError>) -> Void)?

  private let items: [Item]
  private let view: ZoomableView
  private let name = label("", "name")
  private let detail = label("", "detail")
  private let zoom = label("", "detail")
  private(set) var position = 0

  init(_ items: [Item], pipeline: ImagePipeline) {
    self.items = items
    view = ZoomableView(pipeline: pipeline)
    widget = made(gtk_overlay_new()).styled("stage")
    gtk_overlay_set_child(widget.opaque, view.widget)
    for text in [name, detail] { gtk_label_set_wrap(text.opaque, 1) }
    let facts = box(GTK_ORIENTATION_VERTICAL, spacing: 2, name, detail, zoom).styled("facts")
    gtk_widget_set_halign(facts, GTK_ALIGN_START)
    gtk_widget_set_valign(facts, GTK_ALIGN_END)
    gtk_widget_set_can_target(facts, 0)
    gtk_overlay_add_overlay(widget.opaque, facts)
    view.onChange = { [weak self] in
      if let self { gtk_label_set_text(zoom.opaque, "\(Int((view.zoom * 100).rounded())) %") }
    }
  }

  var isSettled: Bool { !view.hc.isLoading }

  /// Shows the image at a position, if there is one.
  ///
  /// - Parameter thumbnail: The size at which the grid has loaded it, for a low-resolution preview from memory.
  func show(_ position: Int, thumbnail: TargetSize?) {
    guard items.indices.contains(position) else { return }
    self.position = position
    let item = items[position]
    gtk_label_set_text(name.opaque, item.title)
    gtk_label_set_text(detail.opaque, "\(item.badge) · loading")
    var options = ImageViewOptions()
    options.indicator = .progress
    options.retriesOnTap = true
    options.failure = .shows(.icon("image-missing-symbolic"))
    options.alternativeText = item.title
    options.transition = .crossFade
    if let thumbnail { options.lowResolution = ImageRequest(url: item.url, size: thumbnail) }
    var request = ImageRequest(url: item.url)
    request.previews = PreviewPolicy()
    gtk_widget_grab_focus(view.widget)
    let load = view.hc.setImage(with: request, options: options) { [weak self] result in
      self?.describe(result, item)
      self?.onShow?(result)
    }
    load?.onProgress { [weak self] progress in
      guard let self else { return }
      let kilobytes = progress.receivedByteCount / 1024
      gtk_label_set_text(detail.opaque, "\(item.badge) · \(kilobytes) KB, \(Int((progress.fraction ?? 0) * 100)) %")
    }
  }

  /// Shows the image `difference` positions ahead.
  func step(_ difference: Int) { show(position + difference, thumbnail: nil) }

  func cancel() { view.hc.cancel() }

  private func describe(_ result: Result<ImageResponse, ImageViewError>, _ item: Item) {
    switch result {
    case .success(let response):
      let info = response.image.info
      var facts = ["\(info.format.rawValue)", "\(info.pixelSize)", "shown at \(response.image.size)"]
      if let animation = response.image.animation { facts.append("\(animation.frameCount) frames") }
      if let count = response.encodedByteCount { facts.append("\(count / 1024) KB") }
      facts.append("from \(response.origin == .store ? "disk" : response.origin.rawValue)")
      gtk_label_set_text(detail.opaque, facts.joined(separator: " · "))
    case .failure(.superseded), .failure(.cancelled): break
    case .failure(let error): gtk_label_set_text(detail.opaque, "\(error) Click to try again.")
    }
  }
}
