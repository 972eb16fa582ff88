#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Paintables that load their images, in a widget of the program.
@MainActor
enum PaintableScenes {
  static func loads(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green, width: 200, height: 100)).held(by: gate))
      guard let image = gtk_image_new(), let provider = gtk_css_provider_new() else { return }
      let css = "image { color: rgb(0, 0, 255); }"
      gtk_shim_load_css(provider, css)
      gtk_style_context_add_provider_for_display(
        gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_USER))
      gtk_image_set_pixel_size(OpaquePointer(image), 48)
      try await stage.add(image, width: 48, height: 48)
      var avatar: LoadingPaintable? = LoadingPaintable(width: 48, height: 48, pipeline: ViewScenes.pipeline())
      gtk_image_set_from_paintable(OpaquePointer(image), avatar?.pointer)
      let outcome = Outcome()
      let options = ImageViewOptions(placeholderDelay: .zero)
      avatar?.hc.setImage(
        with: url, placeholder: .icon("go-next-symbolic"), options: options, completion: outcome.take)
      await stage.nextFrame()
      let screenshot = try stage.screenshot(of: image)
      let colors = stride(from: 0.02, to: 1, by: 0.04).flatMap { y in
        stride(from: 0.02, to: 1, by: 0.04).map { screenshot.color(x: $0, y: y) }
      }
      try stage.require(colors.contains { $0.isNear(.blue, tolerance: 3) }, "the icon has not the colour of text")
      // The widget's reference is enough.
      avatar = nil
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try await stage.require(image, x: 0.05, y: 0.05, is: .green)
      let size = try outcome.last?.get().image.size
      try stage.require(size == PixelSize(width: 48, height: 48), "it was decoded at \(String(describing: size))")
      try stage.require(
        gdk_paintable_get_intrinsic_width(gtk_image_get_paintable(OpaquePointer(image))) == 48, "its size has changed")
    }
  }

  /// The size in pixels of its image, and its indicator.
  static func options(_ stage: Stage) async throws {
    guard let image = gtk_image_new() else { return }
    gtk_image_set_pixel_size(image.opaque, 48)
    try await stage.add(image, width: 48, height: 48)
    for (scale, mode, expected) in [
      (2, .fill, PixelSize(width: 96, height: 96)), (1, .fit, PixelSize(width: 48, height: 24)),
    ] as [(Double, ImageDisplayMode, PixelSize)] {
      let avatar = LoadingPaintable(width: 48, height: 48, scale: scale, mode: mode, pipeline: ViewScenes.pipeline())
      gtk_image_set_from_paintable(image.opaque, avatar.pointer)
      let outcome = Outcome()
      avatar.hc.setImage(with: try SolidImage.request(.red, width: 400, height: 200), completion: outcome.take)
      try await stage.until("it is loaded", within: 300) { outcome.count == 1 }
      let size = try outcome.last?.get().image.size
      try stage.require(size == expected, "it was decoded at \(String(describing: size)), not \(expected)")
    }
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let avatar = LoadingPaintable(width: 48, height: 48, pipeline: ViewScenes.pipeline())
      gtk_image_set_from_paintable(image.opaque, avatar.pointer)
      let outcome = Outcome()
      avatar.hc.setImage(with: url, options: ImageViewOptions(indicator: .activity), completion: outcome.take)
      await stage.nextFrame()
      try stage.require(try stage.screenshot(of: image).color(x: 0.5, y: 0.5).alpha > 0, "there is no spinner")
      gate.open()
      try await stage.until("it is loaded", within: 300) { outcome.count == 1 }
      try await stage.require(image, is: .green)
    }
  }

  static func freed(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      // A window that is shown, which has frames.
      _ = try await stage.addPicture()
      var avatar: LoadingPaintable? = LoadingPaintable(width: 48, height: 48, pipeline: ViewScenes.pipeline())
      weak let binder = avatar?.hc.binder
      let outcome = Outcome()
      avatar?.hc.setImage(with: url, completion: outcome.take)
      avatar = nil
      try await stage.until("its load is cancelled") { outcome.count == 1 }
      try stage.require(binder == nil, "its binder is still there")
      guard case .failure(.superseded) = outcome.last else {
        throw Stage.Failure(description: "the load ended with \(String(describing: outcome.last))")
      }
      gate.open()
    }
  }

  /// A picture of a UI file, which a program also reads and sets by its properties.
  static func builder(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)))
      PictureWidget.register()
      let text = """
        <interface>
          <object class="HalcyonPicture" id="picture">
            <property name="uri">\(url.absoluteString)</property>
            <property name="alternative-text">A green square</property>
            <property name="content-fit">cover</property>
          </object>
        </interface>
        """
      let pipeline = ViewScenes.pipeline()
      ImagePipeline.shared = pipeline
      guard let builder = gtk_builder_new_from_string(text, gssize(text.utf8.count)),
        let object = gtk_builder_get_object(builder, "picture")
      else { throw Stage.Failure(description: "the UI file was not read") }
      let widget = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWidget.self)
      try await stage.add(widget)
      try await stage.until("it is loaded") { widget.hc.binder.content.role == .image }
      try await stage.require(widget, x: 0.05, y: 0.05, is: .green)
      let picture = gtk_widget_get_first_child(widget)
      let alternative = gtk_picture_get_alternative_text(OpaquePointer(picture)).map { String(cString: $0) }
      try stage.require(alternative == "A green square", "the text is \(alternative ?? "nothing")")
      let value = zeroedValues(1)
      defer { freeValues(value) }
      g_value_init(&value[0], g_type_from_name("gchararray"))
      g_object_get_property(object, "uri", value.baseAddress)
      let uri = g_value_get_string(value.baseAddress).map { String(cString: $0) }
      try stage.require(uri == url.absoluteString, "the URL is \(uri ?? "nothing")")
      let fit = zeroedValues(1)
      defer { freeValues(fit) }
      g_value_init(&fit[0], gtk_content_fit_get_type())
      g_object_get_property(object, "content-fit", fit.baseAddress)
      let isCovered = g_value_get_enum(fit.baseAddress) == gint(GTK_CONTENT_FIT_COVER.rawValue)
      try stage.require(isCovered, "the content fit is \(g_value_get_enum(fit.baseAddress))")
      g_value_set_string(value.baseAddress, nil)
      g_object_set_property(object, "uri", value.baseAddress)
      try stage.require(widget.hc.binder.content.isEmpty, "it shows an image without a URL")
      g_value_set_string(value.baseAddress, "image-missing")
      g_object_set_property(object, "placeholder-icon-name", value.baseAddress)
      guard case .icon("image-missing") = widget.hc.binder.content.picture else {
        throw Stage.Failure(description: "it has no placeholder")
      }
      weak let binder = widget.hc.binder
      stage.remove(widget)
      g_object_unref(gpointer(builder))
      try await stage.until("it is freed", within: 50) { binder == nil }
    }
  }
}
#endif
