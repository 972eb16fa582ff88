#if GTK
import CHalcyonGTK
import Halcyon
import HalcyonGTK

/// The sizes of views, of their images in pixels, and of the images that they decode.
@MainActor
enum SizeScenes {
  static func size(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 120, height: 80)
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
    let outcome = try await stage.load(try SolidImage.request(.red, width: 1000, height: 1000), in: picture)
    let size = try outcome.last?.get().image.size
    try stage.require(size == PixelSize(width: 120, height: 80), "it was decoded at \(String(describing: size))")
  }

  static func growth(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let outcome = try await stage.load(try SolidImage.request(.red, width: 1000, height: 1000), in: picture)
    gtk_widget_set_size_request(picture, 300, 300)
    try await stage.until("it is loaded again") { picture.hc.binder.content.image?.size.width == 300 }
    try stage.require(outcome.count == 1, "there were \(outcome.count) completions")
  }

  /// Before, during and after its load an image is decoded for the content fit that a picture has last.
  static func contentFit(_ stage: Stage) async throws {
    let fits = [
      (GTK_CONTENT_FIT_CONTAIN, PixelSize(width: 120, height: 40)),
      (GTK_CONTENT_FIT_COVER, PixelSize(width: 120, height: 80)),
      (GTK_CONTENT_FIT_FILL, PixelSize(width: 240, height: 80)),
      (GTK_CONTENT_FIT_SCALE_DOWN, PixelSize(width: 120, height: 40)),
    ]
    let request = try SolidImage.request(.red, width: 900, height: 300)
    for (first, last, moment) in fits.flatMap({ first in fits.flatMap { last in (0..<3).map { (first, last, $0) } } }) {
      let picture = try await stage.addPicture(width: 120, height: 80)
      gtk_picture_set_content_fit(OpaquePointer(picture), moment == 0 ? last.0 : first.0)
      let outcome = Outcome()
      picture.hc.setImage(with: request, pipeline: ViewScenes.pipeline(), completion: outcome.take)
      if moment == 1 { gtk_picture_set_content_fit(OpaquePointer(picture), last.0) }
      try await stage.until("it is loaded") { outcome.count == 1 }
      if moment == 2 { gtk_picture_set_content_fit(OpaquePointer(picture), last.0) }
      try await stage.until("it is decoded for its last fit") { picture.hc.binder.content.image?.size == last.1 }
      stage.remove(picture)
    }
  }

  static func scaleFactor(_ stage: Stage) async throws {
    for (factor, width) in [(nil, 60), (3, 20)] as [(Double?, Int)] {
      let picture = try await stage.addPicture(width: 10, height: 10)
      var request = try SolidImage.request(.red, width: 60, height: 60)
      request.size = .fit(width: 60, height: 60)
      request.options.scale = factor
      try await stage.load(request, in: picture)
      let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
      let natural = Int(gdk_paintable_get_intrinsic_width(paintable))
      try stage.require(natural == width, "the natural width is \(natural), not \(width)")
    }
  }

  /// The overlay of the guide: it has the size of its main child, whatever image the picture shows.
  static func fixedSize(_ stage: Stage) async throws {
    guard let overlay = gtk_overlay_new(), let frame = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
      let picture = gtk_picture_new()
    else { return }
    gtk_widget_set_size_request(frame, 120, 80)
    gtk_overlay_set_child(OpaquePointer(overlay), frame)
    gtk_overlay_add_overlay(OpaquePointer(overlay), picture)
    try await stage.add(overlay, width: 120, height: 80)
    var options = ImageViewOptions()
    options.sizing = .original
    let outcome = Outcome()
    picture.hc.setImage(
      with: try SolidImage.request(.green, width: 300, height: 200), options: options,
      pipeline: ViewScenes.pipeline(), completion: outcome.take)
    try await stage.until("it is loaded", within: 200) { outcome.count == 1 }
    for _ in 0..<3 { await stage.nextFrame() }
    let size = (gtk_widget_get_width(overlay), gtk_widget_get_height(overlay))
    try stage.require(size == (120, 80), "the cell is \(size)")
    try await stage.require(picture, is: .green)
  }

  /// Run with `GDK_SCALE=2`: two device pixels per point.
  static func doubleScale(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 120, height: 80)
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
    let scale = gtk_widget_get_scale_factor(picture)
    try stage.require(scale == 2, "the scale factor is \(scale)")
    let outcome = try await stage.load(try SolidImage.request(.red, width: 1000, height: 1000), in: picture)
    let size = try outcome.last?.get().image.size
    try stage.require(size == PixelSize(width: 240, height: 160), "it was decoded at \(String(describing: size))")
    try await stage.require(picture, x: 0.05, y: 0.05, is: .red)
    try await stage.require(picture, x: 0.95, y: 0.95, is: .red)
  }
}
#endif
