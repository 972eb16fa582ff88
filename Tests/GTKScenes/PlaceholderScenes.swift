#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// What views show before and instead of their images.
@MainActor
enum PlaceholderScenes {
  private static var withoutDelay: ImageViewOptions {
    var options = ImageViewOptions()
    options.placeholderDelay = .zero
    return options
  }

  /// Shows a green image in a view, which `check` sees while the response is held at the gate.
  private static func load(
    _ stage: Stage, in view: UnsafeMutablePointer<GtkWidget>? = nil, placeholder: ImagePlaceholder? = nil,
    options: ImageViewOptions, check: (UnsafeMutablePointer<GtkWidget>, Gate) async throws -> Void
  ) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let picture = if let view { view } else { try await stage.addPicture() }
      let outcome = Outcome()
      picture.hc.setImage(
        with: url, placeholder: placeholder, options: options, pipeline: ViewScenes.pipeline(), completion: outcome.take
      )
      try stage.require(picture.hc.isLoading, "the view is not reported as loading")
      try await check(picture, gate)
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try await stage.require(picture, is: .green)
      try stage.require(!picture.hc.isLoading, "the view is still reported as loading")
    }
  }

  static func placeholder(_ stage: Stage) async throws {
    let blue = ImagePlaceholder.image(try SolidImage.image(.blue))
    try await load(stage, placeholder: blue, options: withoutDelay) { picture, _ in
      try await stage.require(picture, is: .blue)
    }
    // A spinner is drawn over it.
    var options = withoutDelay
    options.indicator = .activity
    try await load(stage, placeholder: blue, options: options) { picture, gate in
      try await gate.waitUntilHolding()
      try await stage.require(picture, x: 0.1, y: 0.1, is: .blue)
      let center = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      try stage.require(!center.isNear(.blue, tolerance: 40), "there is no spinner: \(center)")
    }
  }

  static func failure(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/missing.png", .status(404).held(by: gate))
      let picture = try await stage.addPicture()
      var options = withoutDelay
      options.failure = .shows(.image(try SolidImage.image(.red)))
      let outcome = Outcome()
      picture.hc.setImage(
        with: url, placeholder: .image(try SolidImage.image(.blue)), options: options,
        pipeline: ViewScenes.pipeline(), completion: outcome.take)
      try await stage.require(picture, is: .blue)
      gate.open()
      try await stage.until("it has failed") { outcome.count == 1 }
      try await stage.require(picture, is: .red)
      guard case .failure(.loading(.httpStatus(404, _))) = outcome.last else {
        throw Stage.Failure(description: "the load ended with \(String(describing: outcome.last))")
      }
    }
  }

  static func icon(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 128, height: 128)
    picture.hc.setImage(
      with: nil as URL?, placeholder: .icon("image-missing"), options: withoutDelay, pipeline: ViewScenes.pipeline())
    await stage.nextFrame()
    let screenshot = try stage.screenshot(of: picture)
    let points = stride(from: 0.02, to: 1, by: 0.03).flatMap { x in stride(from: 0.02, to: 1, by: 0.03).map { (x, $0) }
    }
    let opaque = points.filter { screenshot.color(x: $0.0, y: $0.1).alpha > 128 }
    try stage.require(opaque.count > 30, "only \(opaque.count) of \(points.count) points are opaque")
    // Its side is 64 points: it is not enlarged.
    let outside = opaque.filter { max(abs($0.0 - 0.5), abs($0.1 - 0.5)) > 0.26 }
    try stage.require(outside.isEmpty, "the icon is drawn at \(outside)")
  }

  static func iconSides(_ stage: Stage) async throws {
    func requireSide(_ side: gint, of widget: UnsafeMutablePointer<GtkWidget>, _ paintable: OpaquePointer?) throws {
      let found = gdk_paintable_get_intrinsic_width(paintable)
      let size = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
      try stage.require(found == side, "the icon of a widget of \(size) has a side of \(found), not \(side)")
    }
    for (width, height, side) in [(8, 8, 16), (16, 16, 16), (40, 100, 40), (100, 30, 30), (64, 64, 64), (100, 90, 64)] {
      let picture = try await stage.addPicture(width: width, height: height)
      picture.hc.setImage(
        with: nil as URL?, placeholder: .icon("image-missing"), options: withoutDelay, pipeline: ViewScenes.pipeline())
      try requireSide(gint(side), of: picture, gtk_picture_get_paintable(picture.opaque))
      stage.remove(picture)
    }
    for (pixelSize, side) in [(20, 20), (10, 16), (90, 64)] {
      guard let image = gtk_image_new() else { return }
      gtk_image_set_pixel_size(image.opaque, gint(pixelSize))
      stage.append(image)
      image.hc.setImage(
        with: nil as URL?, placeholder: .icon("image-missing"), options: withoutDelay, pipeline: ViewScenes.pipeline())
      try requireSide(gint(side), of: image, gtk_image_get_paintable(image.opaque))
      stage.remove(image)
    }
  }

  static func filePlaceholder(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let file = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString).png")
    try SolidImage.png(.blue).write(to: file)
    let placeholder = ImagePlaceholder.file(file)
    picture.hc.setImage(with: nil as URL?, placeholder: placeholder, pipeline: ViewScenes.pipeline())
    try await stage.require(picture, is: .blue)
    // It is read once.
    try FileManager.default.removeItem(at: file)
    picture.hc.setImage(with: nil as URL?, placeholder: .file(file), pipeline: ViewScenes.pipeline())
    await stage.nextFrame()
    let color = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
    try stage.require(color.alpha == 0, "a missing file is shown as \(color)")
    picture.hc.setImage(with: nil as URL?, placeholder: placeholder, pipeline: ViewScenes.pipeline())
    try await stage.require(picture, is: .blue)
  }

  static func widgets(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let view = PictureView(pipeline: ViewScenes.pipeline())
      try await stage.add(view.widget)
      var options = withoutDelay
      options.indicator = .custom { gtk_spinner_new() as Any }
      let outcome = Outcome()
      view.hc.setImage(
        with: url, placeholder: .view { gtk_label_new("Wait") as Any }, options: options,
        pipeline: ViewScenes.pipeline(),
        completion: outcome.take)
      try stage.require(
        children(of: view.widget) == ["GtkPicture", "GtkSpinner", "GtkLabel"].sorted(), "\(children(of: view.widget))")
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try stage.require(children(of: view.widget) == ["GtkPicture"], "\(children(of: view.widget))")
      try await stage.require(view.widget, is: .green)
    }
  }

  /// A picture that shows an image of the program's own.
  static func programContent(_ stage: Stage) async throws {
    for keepsCurrentImage in [false, true] {
      let picture = try await stage.addPicture()
      let texture = try SolidImage.image(.blue).makeTexture()
      gtk_picture_set_paintable(OpaquePointer(picture), texture)
      g_object_unref(gpointer(texture))
      try await stage.require(picture, is: .blue)
      try await load(stage, in: picture, options: .init(keepsCurrentImage: keepsCurrentImage)) { picture, _ in
        try await stage.require(picture, is: keepsCurrentImage ? .blue : .clear)
      }
    }
    guard let image = gtk_image_new_from_icon_name("image-missing") else { return }
    gtk_image_set_pixel_size(image.opaque, 80)
    try await stage.add(image)
    try await load(stage, in: image, options: .init(keepsCurrentImage: true)) { image, _ in
      try stage.require(!image.hc.binder.content.isEmpty, "the icon of the program is not kept")
    }
  }

  static func spinner(_ stage: Stage) async throws {
    try await load(stage, options: ImageViewOptions(indicator: .activity)) { picture, _ in
      await stage.nextFrame()
      let disc = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      try stage.require(disc.alpha == 204, "the disc is \(disc)")
      // The topmost dot is the brightest at first, then another one is.
      let top = try stage.screenshot(of: picture).color(x: 0.5, y: 0.39)
      try stage.require(top.alpha > 200, "there is no dot at the top: \(top)")
      try await stage.until("it turns") { (try? stage.screenshot(of: picture).color(x: 0.5, y: 0.39)) != top }
    }
  }

  static func spinnerForIcon(_ stage: Stage) async throws {
    var options = withoutDelay
    options.indicator = .activity
    try await load(stage, placeholder: .icon("image-missing"), options: options) { picture, gate in
      try await gate.waitUntilHolding()
      await stage.nextFrame()
      let screenshot = try stage.screenshot(of: picture)
      // The icon has a side of 64 points, the disc of the spinner a radius of 18.
      let points = stride(from: 0.2, through: 0.8, by: 0.02).flatMap { x in
        stride(from: 0.2, through: 0.8, by: 0.02).map { (x, $0) }
      }
      let outside = points.filter { (($0.0 - 0.5) * ($0.0 - 0.5) + ($0.1 - 0.5) * ($0.1 - 0.5)).squareRoot() > 0.2 }
      let opaque = outside.count { screenshot.color(x: $0.0, y: $0.1).alpha > 128 }
      let center = screenshot.color(x: 0.5, y: 0.5)
      try stage.require(
        opaque == 0 && center.alpha > 0, "\(opaque) points of the icon are drawn, the centre is \(center)")
    }
  }

  static func progress(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let data = try SolidImage.png(.green, width: 500, height: 500)
      let url = server.serve("/a.png", .body(data).held(by: gate, at: .body(data.count / 2)))
      let picture = try await stage.addPicture()
      var options = ImageViewOptions()
      options.indicator = .progress
      let outcome = Outcome()
      var fraction = 0.0
      picture.hc.setImage(with: url, options: options, pipeline: ViewScenes.pipeline(), completion: outcome.take)?
        .onProgress { fraction = $0.fraction ?? 0 }
      try await stage.until("half of it has been received") { abs(fraction - 0.5) < 0.05 }
      await stage.nextFrame()
      let (right, left) = (
        try stage.screenshot(of: picture).color(x: 0.605, y: 0.5),
        try stage.screenshot(of: picture).color(x: 0.39, y: 0.5)
      )
      try stage.require(!right.isNear(left, tolerance: 40), "both halves of the ring are \(right)")
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try await stage.require(picture, x: 0.605, is: .green)
      // Of an unknown length, the ring stays empty.
      let second = Gate()
      let chunked = Reply.body(data).chunked(100).held(by: second, at: .body(data.count / 2))
      let (other, endless) = (try await stage.addPicture(), server.serve("/b.png", chunked))
      var count = 0
      other.hc.setImage(with: endless, options: options, pipeline: ViewScenes.pipeline())?
        .onProgress { count = $0.receivedByteCount }
      try await stage.until("bytes have come", within: 300) { count > 0 }
      try await stage.require(other, x: 0.605, is: left)
      second.open()
    }
  }

  private static func children(of widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
    var names: [String] = []
    var child = gtk_widget_get_first_child(widget)
    while let widget = child {
      names.append(String(cString: gtk_widget_get_name(widget)))
      child = gtk_widget_get_next_sibling(widget)
    }
    return names.sorted()
  }
}
#endif
