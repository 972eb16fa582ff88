#if GTK
import CGTK
import Foundation
import Halcyon
import HalcyonGTK
import TestSupport

/// The content of views.
@MainActor
enum ViewScenes {
  /// A pipeline without a disk cache and without retries.
  static func pipeline() -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.cache = ImageCache(disk: nil)
    configuration.options.retryStrategy = .never
    return ImagePipeline(configuration: configuration)
  }

  private static var withoutDelay: ImageViewOptions {
    var options = ImageViewOptions()
    options.placeholderDelay = .zero
    return options
  }

  static func placeholder(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let picture = try await stage.addPicture()
      let outcome = Outcome()
      picture.hc.setImage(
        with: url, placeholder: .image(try SolidImage.image(.blue)), options: withoutDelay, pipeline: pipeline(),
        completion: outcome.take)
      try stage.require(picture.hc.isLoading, "the view is not reported as loading")
      try await stage.require(picture, is: .blue)
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try await stage.require(picture, is: .green)
      try stage.require(!picture.hc.isLoading, "the view is still reported as loading")
    }
  }

  static func image(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 200, height: 100)
    let outcome = Outcome()
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.red))), pipeline: pipeline(), completion: outcome.take)
    try await stage.until("it is loaded") { outcome.count == 1 }
    try await stage.require(picture, is: .red)
    try await stage.require(picture, x: 0.3, is: .red)
    // A square image in a view twice as wide leaves a quarter of it empty on each side.
    try await stage.require(picture, x: 0.2, is: .clear)
    try await stage.require(picture, x: 0.8, is: .clear)
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
        pipeline: pipeline(), completion: outcome.take)
      try await stage.require(picture, is: .blue)
      gate.open()
      try await stage.until("it has failed") { outcome.count == 1 }
      try await stage.require(picture, is: .red)
      guard case .failure(.loading(.httpStatus(404, _))) = outcome.last else {
        throw Stage.Failure(description: "the load ended with \(String(describing: outcome.last))")
      }
    }
  }

  static func crossFade(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let pipeline = pipeline()
    let outcome = Outcome()
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.red))), pipeline: pipeline, completion: outcome.take)
    try await stage.until("the first is loaded") { outcome.count == 1 }
    var options = ImageViewOptions()
    options.keepsCurrentImage = true
    options.transition = .crossFade(.seconds(2))
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.green))), options: options, pipeline: pipeline,
      completion: outcome.take)
    try await stage.until("the second is loaded") { !picture.hc.isLoading }
    var start: Duration?
    var midwayCount = 0
    var part = 0.0
    while part < 1 {
      let frame = await stage.nextFrame()
      guard stage.isLast(frame) else { continue }
      let now = frame.time
      let color = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      part = Double(color.green) / 255
      if (0.1..<0.9).contains(part) { midwayCount += 1 }
      try stage.require(
        color.isNear(Color.red.mixed(with: .green, part), tolerance: 3), "midway the colour is \(color)")
      let begin = start ?? now - .seconds(2) * part
      start = begin
      let expected = min(1, (now - begin) / .seconds(2))
      try stage.require(abs(part - expected) < 0.02, "after \(now - begin) the fade is at \(part), not \(expected)")
    }
    try stage.require(midwayCount > 0, "there was no fade")
    try await stage.require(picture, is: .green)
  }

  static func memoryHit(_ stage: Stage) async throws {
    let (first, second) = (try await stage.addPicture(), try await stage.addPicture())
    let pipeline = pipeline()
    let request = ImageRequest(source: .data(try SolidImage.png(.red)))
    let outcome = Outcome()
    first.hc.setImage(with: request, pipeline: pipeline, completion: outcome.take)
    try await stage.until("it is loaded") { outcome.count == 1 }
    var options = ImageViewOptions()
    options.transition = .crossFade
    second.hc.setImage(with: request, options: options, pipeline: pipeline, completion: outcome.take)
    try stage.require(outcome.count == 2, "an image in the memory cache was not shown at once")
    try await stage.require(second, is: .red)
  }

  static func size(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 120, height: 80)
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
    let outcome = Outcome()
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.red, width: 1000, height: 1000))), pipeline: pipeline(),
      completion: outcome.take)
    try await stage.until("it is loaded") { outcome.count == 1 }
    let size = try outcome.last?.get().image.size
    try stage.require(size == PixelSize(width: 120, height: 80), "it was decoded at \(String(describing: size))")
  }

  static func growth(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let outcome = Outcome()
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.red, width: 1000, height: 1000))), pipeline: pipeline(),
      completion: outcome.take)
    try await stage.until("it is loaded") { outcome.count == 1 }
    gtk_widget_set_size_request(picture, 300, 300)
    try await stage.until("it is loaded again") { picture.hc.content.image?.size.width == 300 }
    try stage.require(outcome.count == 1, "there were \(outcome.count) completions")
  }

  static func spinner(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let picture = try await stage.addPicture()
      var options = ImageViewOptions()
      options.indicator = .activity
      let outcome = Outcome()
      picture.hc.setImage(with: url, options: options, pipeline: pipeline(), completion: outcome.take)
      await stage.nextFrame()
      let disc = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      try stage.require(disc.alpha == 204, "the disc is \(disc)")
      // The topmost dot is the brightest at first, then another one is.
      let top = try stage.screenshot(of: picture).color(x: 0.5, y: 0.39)
      try stage.require(top.alpha > 200, "there is no dot at the top: \(top)")
      try await stage.until("it turns") { (try? stage.screenshot(of: picture).color(x: 0.5, y: 0.39)) != top }
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try await stage.require(picture, is: .green)
    }
  }

  static func spinnerForIcon(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let picture = try await stage.addPicture()
      var options = withoutDelay
      options.indicator = .activity
      let outcome = Outcome()
      picture.hc.setImage(
        with: url, placeholder: .icon("image-missing"), options: options, pipeline: pipeline(), completion: outcome.take
      )
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
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try await stage.require(picture, is: .green)
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
      picture.hc.setImage(with: url, options: options, pipeline: pipeline(), completion: outcome.take)?
        .onProgress { fraction = $0.fraction }
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
    }
  }

  static func sharedLoad(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)))
      let (first, second) = (try await stage.addPicture(), try await stage.addPicture())
      let pipeline = pipeline()
      let outcome = Outcome()
      for picture in [first, second] { picture.hc.setImage(with: url, pipeline: pipeline, completion: outcome.take) }
      try await stage.until("both are loaded") { outcome.count == 2 }
      try await stage.require(first, is: .green)
      try await stage.require(second, is: .green)
      let count = server.requests(for: "/a.png").count
      try stage.require(count == 1, "the server received \(count) requests")
      try stage.require(SharedTextures.all.count == 1, "there are \(SharedTextures.all.count) textures")
    }
  }

  static func icon(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 64, height: 64)
    picture.hc.setImage(
      with: nil as URL?, placeholder: .icon("image-missing"), options: withoutDelay, pipeline: pipeline())
    await stage.nextFrame()
    let screenshot = try stage.screenshot(of: picture)
    let points = stride(from: 0.05, to: 1, by: 0.05).flatMap { x in stride(from: 0.05, to: 1, by: 0.05).map { (x, $0) }
    }
    let opaque = points.count { screenshot.color(x: $0.0, y: $0.1).alpha > 128 }
    try stage.require(opaque > 10, "only \(opaque) of \(points.count) points of the icon are opaque")
  }

  static func gtkImage(_ stage: Stage) async throws {
    guard let image = gtk_image_new() else { return }
    gtk_image_set_pixel_size(OpaquePointer(image), 80)
    try await stage.add(image)
    let outcome = Outcome()
    image.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.red, width: 400, height: 400))), pipeline: pipeline(),
      completion: outcome.take)
    try await stage.until("it is loaded") { outcome.count == 1 }
    let size = try outcome.last?.get().image.size
    try stage.require(size == PixelSize(width: 80, height: 80), "it was decoded at \(String(describing: size))")
    try await stage.require(image, is: .red)
    try stage.require(OpaquePointer(image).hc.isLoading == false, "an OpaquePointer has another binder")
  }

  static func widgets(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let view = PictureView(pipeline: pipeline())
      try await stage.add(view.widget)
      var options = withoutDelay
      options.indicator = .custom { gtk_spinner_new() as Any }
      let outcome = Outcome()
      view.hc.setImage(
        with: url, placeholder: .view { gtk_label_new("Wait") as Any }, options: options, pipeline: pipeline(),
        completion: outcome.take)
      try stage.require(
        children(of: view.widget) == ["GtkPicture", "GtkSpinner", "GtkLabel"].sorted(), "\(children(of: view.widget))")
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      try stage.require(children(of: view.widget) == ["GtkPicture"], "\(children(of: view.widget))")
      try await stage.require(view.widget, is: .green)
    }
  }

  static func ownPipeline(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let (own, other) = (pipeline(), pipeline())
      let view = PictureView(pipeline: own)
      try await stage.add(view.widget)
      let outcome = Outcome()
      for (number, named) in [nil, other, nil].enumerated() {
        let url = server.serve("/\(number).png", .body(try SolidImage.png(.green)))
        view.hc.setImage(with: url, pipeline: named, completion: outcome.take)
        try await stage.until("it is loaded") { outcome.count == number + 1 }
        let request = ImageRequest(url: url, size: .fit(width: 100, height: 100))
        let isCached = (own: own[cached: request] != nil, other: other[cached: request] != nil)
        try stage.require(
          isCached == (own: named == nil, other: named != nil), "image \(number) is cached by \(isCached)")
      }
    }
  }

  static func nilURL(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let outcome = Outcome()
    picture.hc.setImage(
      with: nil as URL?, placeholder: .image(try SolidImage.image(.blue)), pipeline: pipeline(),
      completion: outcome.take)
    guard case .failure(.emptySource) = outcome.last else {
      throw Stage.Failure(description: "the load ended with \(String(describing: outcome.last))")
    }
    try await stage.require(picture, is: .blue)
  }

  static func filePlaceholder(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let file = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString).png")
    try SolidImage.png(.blue).write(to: file)
    let placeholder = ImagePlaceholder.file(file)
    picture.hc.setImage(with: nil as URL?, placeholder: placeholder, pipeline: pipeline())
    try await stage.require(picture, is: .blue)
    // It is read once.
    try FileManager.default.removeItem(at: file)
    picture.hc.setImage(with: nil as URL?, placeholder: .file(file), pipeline: pipeline())
    await stage.nextFrame()
    let color = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
    try stage.require(color.alpha == 0, "a missing file is shown as \(color)")
    picture.hc.setImage(with: nil as URL?, placeholder: placeholder, pipeline: pipeline())
    try await stage.require(picture, is: .blue)
  }

  /// A picture that shows an image of the program's own.
  static func programContent(_ stage: Stage) async throws {
    for keepsCurrentImage in [false, true] {
      let picture = try await stage.addPicture()
      let texture = try SolidImage.image(.blue).makeTexture()
      gtk_picture_set_paintable(OpaquePointer(picture), texture)
      g_object_unref(gpointer(texture))
      try await stage.require(picture, is: .blue)
      try await ImageServer.run { server in
        let gate = Gate()
        let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
        var options = ImageViewOptions()
        options.keepsCurrentImage = keepsCurrentImage
        let outcome = Outcome()
        picture.hc.setImage(with: url, options: options, pipeline: pipeline(), completion: outcome.take)
        try await stage.require(picture, is: keepsCurrentImage ? .blue : .clear)
        gate.open()
        try await stage.until("it is loaded") { outcome.count == 1 }
        try await stage.require(picture, is: .green)
      }
    }
  }

  static func scaleFactor(_ stage: Stage) async throws {
    for (factor, width) in [(nil, 60), (3, 20)] as [(Double?, Int)] {
      let picture = try await stage.addPicture(width: 10, height: 10)
      var request = ImageRequest(
        source: .data(try SolidImage.png(.red, width: 60, height: 60)), size: .fit(width: 60, height: 60))
      request.options.scale = factor
      let outcome = Outcome()
      picture.hc.setImage(with: request, pipeline: pipeline(), completion: outcome.take)
      try await stage.until("it is loaded") { outcome.count == 1 }
      let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
      let natural = Int(gdk_paintable_get_intrinsic_width(paintable))
      try stage.require(natural == width, "the natural width is \(natural), not \(width)")
    }
  }

  static func transitionEnd(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    var options = ImageViewOptions()
    options.transition = .crossFade(.milliseconds(300))
    let outcome = Outcome()
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.green))), options: options, pipeline: pipeline(),
      completion: outcome.take)
    try await stage.until("it is shown") { picture.hc.content.role == .image }
    try stage.require(outcome.count == 0, "the completion was called when the fade began")
    try await stage.until("the fade has ended") { outcome.count == 1 }
    try await stage.require(picture, is: .green)
  }

  /// The overlay of the guide: its size is that of its main child, whatever image the picture shows.
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
      with: ImageRequest(source: .data(try SolidImage.png(.green, width: 300, height: 200))), options: options,
      pipeline: pipeline(), completion: outcome.take)
    try await stage.until("it is loaded", within: 200) { outcome.count == 1 }
    for _ in 0..<3 { await stage.nextFrame() }
    let size = (gtk_widget_get_width(overlay), gtk_widget_get_height(overlay))
    try stage.require(size == (120, 80), "the cell is \(size)")
    try await stage.require(picture, is: .green)
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

/// Records the calls of completions.
@MainActor
final class Outcome {
  private(set) var count = 0
  private(set) var last: Result<ImageResponse, ImageViewError>?

  func take(_ result: Result<ImageResponse, ImageViewError>) {
    count += 1
    last = result
  }
}
#endif
