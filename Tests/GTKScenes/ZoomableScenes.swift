#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonGTK
import HalcyonImaging
import HalcyonTestSupport

/// A photograph that is larger than its view, which zooms into it.
@MainActor
enum ZoomableScenes {
  private static let size = PixelSize(width: 2400, height: 1600)

  /// A photograph whose red and green say where a pixel is, with fine stripes in blue.
  private static func photo() throws -> Data {
    let bitmap = try Bitmap(size: size, isOpaque: true) { pixels in
      for row in 0..<size.height {
        for column in 0..<size.width {
          let start = (row * size.width + column) * 4
          pixels[start] = UInt8(column * 255 / size.width)
          pixels[start + 1] = UInt8(row * 255 / size.height)
          pixels[start + 2] = (column / 4 + row / 8) % 2 == 0 ? 96 : 160
          pixels[start + 3] = 255
        }
      }
    }
    return try JPEGEncoder().encode(DecodedImage(bitmap: bitmap), options: EncodingOptions(quality: 0.9))
  }

  private static func show(_ stage: Stage, _ data: Data) async throws -> ZoomableView {
    let view = ZoomableView(pipeline: ViewScenes.pipeline())
    guard let widget = view.widget else { throw Stage.Failure(description: "there is no widget") }
    try await stage.add(widget, width: 403, height: 301)
    view.hc.setImage(with: ImageRequest(source: .data(data, key: "photo")))
    try await stage.until("the whole picture is shown") { view.hc.phase.image != nil && !view.hc.isLoading }
    return view
  }

  /// Waits for the tiles, and compares what is drawn along lines across the view, which meet each seam, with the place of the picture.
  ///
  /// - Parameter tolerance: Of red and green, which change slowly: what shows through a seam is far from them.
  private static func requireWhole(_ view: ZoomableView, _ stage: Stage, tolerance: Int = 8) async throws {
    guard let widget = view.widget else { return }
    try await stage.until("the tiles are loaded at \(view.zoom)") { view.isSharp }
    await stage.nextFrame()
    let shot = try stage.screenshot(of: widget)
    let scale = Double(gtk_widget_get_scale_factor(widget))
    for row in 0..<shot.height {
      for column in 0..<shot.width where row % 37 == 5 || column % 41 == 7 {
        let x = view.centre.x + (Double(column) + 0.5 - Double(shot.width) / 2) * scale / view.zoom
        let y = view.centre.y + (Double(row) + 0.5 - Double(shot.height) / 2) * scale / view.zoom
        guard x > 4, y > 4, x < Double(size.width) - 4, y < Double(size.height) - 4 else { continue }
        let found = shot.color(
          x: (Double(column) + 0.5) / Double(shot.width), y: (Double(row) + 0.5) / Double(shot.height))
        let red = Int(x) * 255 / size.width, green = Int(y) * 255 / size.height
        try stage.require(
          abs(found.red - red) <= tolerance && abs(found.green - green) <= tolerance && found.alpha == 255,
          "\(found) is drawn at \(column),\(row), not \(red),\(green), at the zoom \(view.zoom)")
      }
    }
  }

  /// Zooms, pans and jumps.
  static func tiles(_ stage: Stage) async throws {
    let data = try photo()
    let view = try await show(stage, data)
    let fit = view.zoom
    try stage.require(view.isSharp && fit < 0.4, "the whole picture has tiles, at the zoom \(fit)")
    try await stage.until("it is drawn") { view.hc.phase.image != nil }
    for zoom in [0.21, 0.4, 0.5, 1, 1.5, 2.6] where zoom > fit {
      view.zoom = zoom
      try stage.require(view.zoom == zoom, "the zoom is \(view.zoom), not \(zoom)")
      try await requireWhole(view, stage)
    }
    view.centre = (x: 300, y: 1300)
    try await requireWhole(view, stage)
    view.zoom = 0.9
    for step in 0..<10 {
      view.centre = (x: view.centre.x + 123.4, y: view.centre.y - Double(step) * 15)
      try await requireWhole(view, stage)
    }
    // No further than the edge.
    view.centre = (x: -1000, y: 9000)
    let half = (x: 403 * 0.5 / 0.9, y: 301 * 0.5 / 0.9)
    let scale = view.widget.map { Double(gtk_widget_get_scale_factor($0)) } ?? 1
    try stage.require(
      abs(view.centre.x - half.x * scale) < 0.01 && abs(view.centre.y - (1600 - half.y * scale)) < 0.01,
      "the middle is at \(view.centre)")
    try await requireWhole(view, stage)
    view.zoom = 0
    try stage.require(view.zoom == fit && view.isSharp, "the zoom is \(view.zoom), not \(fit)")
    if let file = ProcessInfo.processInfo.environment["HALCYON_SCREENSHOT"] {
      view.zoom = 1.5
      try await requireWhole(view, stage)
      stage.saveScreenshot(file)
    }
  }

  /// At the zoom 1, what is drawn is the part of the file, pixel by pixel.
  static func pixels(_ stage: Stage) async throws {
    let data = try photo()
    let view = try await show(stage, data)
    guard let widget = view.widget else { return }
    view.zoom = 1
    view.centre = (x: 1200.5, y: 800.5)
    try await stage.until("the tiles are loaded") { view.isSharp }
    await stage.nextFrame()
    let shot = try stage.screenshot(of: widget)
    let area = PixelArea(left: 1200 - 201, top: 800 - 150, width: 403, height: 301)
    let part = try await DecodedImage(data: data, region: area).bitmap
    for row in 0..<301 {
      for column in 0..<403 {
        let pixel = part[column, row]
        let color = Color(red: Int(pixel.red), green: Int(pixel.green), blue: Int(pixel.blue))
        let found = shot.color(x: (Double(column) + 0.5) / 403, y: (Double(row) + 0.5) / 301)
        try stage.require(
          found.isNear(color, tolerance: 1), "\(found) is drawn at \(column),\(row), and the file has \(color)")
      }
    }
  }

  /// The keyboard, the mouse and touch.
  static func gestures(_ stage: Stage) async throws {
    let view = try await show(stage, photo())
    guard let widget = view.widget else { return }
    let (keys, click) = (gtk_event_controller_key_get_type(), gtk_gesture_click_get_type())
    let (drag, pinch) = (gtk_gesture_drag_get_type(), gtk_gesture_zoom_get_type())
    func press(_ key: Int32) throws -> Bool { try stage.emit("key-pressed", Double(key), by: keys, of: widget) }
    let fit = view.zoom
    try stage.require(!press(GDK_KEY_Left), "an arrow key moves the whole picture")
    try stage.require(
      !stage.emit("scroll", 0, 1, by: gtk_event_controller_scroll_get_type(), of: widget),
      "the whole picture is scrolled")
    // A double click; the place under it stays.
    let pointer = (x: 300.0, y: 80.0)
    func place() -> (x: Double, y: Double) {
      let scale = Double(gtk_widget_get_scale_factor(widget))
      return (
        view.centre.x + (pointer.x - 201.5) * scale / view.zoom, view.centre.y + (pointer.y - 150.5) * scale / view.zoom
      )
    }
    let before = place()
    try stage.emit("released", 2, pointer.x, pointer.y, by: click, of: widget)
    try await stage.until("it is zoomed in") { view.zoom == 1 }
    let after = place()
    try stage.require(
      abs(before.x - after.x) < 0.01 && abs(before.y - after.y) < 0.01, "\(before) has moved to \(after)")
    try await requireWhole(view, stage)
    var (x, y) = view.centre
    try stage.emit("drag-begin", 10, 10, by: drag, of: widget)
    try stage.emit("drag-update", 3, 3, by: drag, of: widget)
    try stage.require(view.centre == (x, y), "a click moves it")
    try stage.emit("drag-update", 50, -20, by: drag, of: widget)
    try stage.require(view.centre == (x - 50, y + 20), "a drag has moved the middle from \(x),\(y) to \(view.centre)")
    try stage.emit("drag-update", 60, -20, by: drag, of: widget)
    try stage.require(view.centre == (x - 60, y + 20), "the rest of the drag has moved it to \(view.centre)")
    try stage.emit("drag-begin", 10, 10, by: drag, of: widget)
    try stage.emit("drag-update", 20, 0, by: drag, of: widget)
    try stage.require(view.centre == (x - 80, y + 20), "a second drag has moved it to \(view.centre)")
    // Goes on by itself, and ends.
    (x, y) = view.centre
    try stage.emit("swipe", -1000, 0, by: gtk_gesture_swipe_get_type(), of: widget)
    try await stage.until("it goes on") { view.centre.x > x + 200 }
    try await requireWhole(view, stage)
    try stage.require(view.centre.x < x + 250, "a swipe has moved it by \(view.centre.x - x)")
    for (key, across, down) in [(GDK_KEY_Left, -64, 0), (GDK_KEY_Up, 0, -64), (GDK_KEY_Down, 0, 64)]
      as [(Int32, Double, Double)]
    {
      (x, y) = view.centre
      try stage.require(
        press(key) && view.centre == (x + across, y + down), "the key \(key) has moved it to \(view.centre)")
    }
    (x, y) = view.centre
    try stage.require(
      press(GDK_KEY_Right) && view.centre == (x + 64, y), "the right key has moved it to \(view.centre)")
    try stage.emit("scroll", 0, 1, by: gtk_event_controller_scroll_get_type(), of: widget)
    try stage.require(view.centre == (x + 64, y + 64), "the wheel has moved it to \(view.centre)")
    // A touchpad lets it go on in the direction of scrolling.
    try stage.emit("decelerate", -1000, 0, by: gtk_event_controller_scroll_get_type(), of: widget)
    try await stage.until("scrolling goes on", within: 300) { view.centre.x < x - 100 }
    try stage.emit("begin", by: pinch, of: widget)
    try stage.emit("scale-changed", 2, by: pinch, of: widget)
    try stage.require(view.zoom == 2, "a pinch has changed the zoom to \(view.zoom)")
    try stage.require(press(GDK_KEY_minus), "the minus key does nothing")
    try await stage.until("it is zoomed out") { abs(view.zoom - 1.6) < 1e-9 }
    try stage.require(press(GDK_KEY_0), "the key 0 does nothing")
    try await stage.until("the whole picture is shown") { view.zoom == fit }
    // Without animations, at once.
    ThemeScenes.setAnimations(false)
    try stage.require(press(GDK_KEY_plus) && abs(view.zoom - fit * 1.25) < 1e-9, "the zoom is \(view.zoom)")
    // A picture that fits in about its own size is shown in twice that size.
    view.hc.setImage(with: try SolidImage.request(.green, width: 300, height: 300))
    try await stage.until("a small picture is shown") { view.hc.phase.image?.info.pixelSize.width == 300 }
    let whole = view.zoom
    for zoom in [2 * whole, whole] {
      try stage.emit("released", 2, pointer.x, pointer.y, by: click, of: widget)
      try stage.require(
        abs(view.zoom - zoom) < 1e-9, "a double click has changed the zoom to \(view.zoom), not \(zoom)")
    }
    try stage.emit("released", 1, pointer.x, pointer.y, by: click, of: widget)
    try stage.require(abs(view.zoom - whole) < 1e-9, "a click has changed the zoom to \(view.zoom)")
  }

  /// A range of the program, images without tiles, other images, and the end.
  static func changes(_ stage: Stage) async throws {
    let view = try await show(stage, photo())
    guard let widget = view.widget else { return }
    var changes = 0
    view.onChange = { changes += 1 }
    view.zoomRange = 0.5...2
    try stage.require(view.zoom == 0.5 && changes > 0, "the zoom is \(view.zoom) after \(changes) changes")
    view.zoom = 8
    try stage.require(view.zoom == 2, "the zoom is \(view.zoom)")
    gtk_widget_set_visible(widget, 0)
    view.centre = (x: 1000, y: 1000)
    for _ in 0..<20 { await stage.nextFrame() }
    try stage.require(!view.isSharp, "a hidden view has loaded tiles")
    gtk_widget_set_visible(widget, 1)
    try await requireWhole(view, stage)
    gtk_widget_set_size_request(widget, 500, 301)
    try await stage.until("it is larger") { gtk_widget_get_width(widget) == 500 }
    try await requireWhole(view, stage)
    try stage.require(view.zoom == 2 && view.centre == (1000, 1000), "it shows \(view.centre) at \(view.zoom)")
    view.zoomRange = nil
    view.hc.setImage(with: try SolidImage.request(.green, width: 300, height: 300))
    try await stage.until("another picture is shown") { view.hc.phase.image?.info.pixelSize.width == 300 }
    try await stage.require(widget, is: .green)
    view.zoom = 4
    try await stage.until("it has tiles") { view.isSharp }
    try await stage.require(widget, is: .green)
    // An image of a size of its own has no other pixels.
    var small = try SolidImage.request(.red, width: 300, height: 300)
    small.size = .fit(width: 60, height: 60)
    view.hc.setImage(with: small)
    try await stage.until("a smaller picture is shown") { view.hc.phase.image?.size.width == 60 }
    try stage.require(abs(view.zoom - 301.0 / 60) < 0.01, "the zoom is \(view.zoom)")
    // Nor has one of a region.
    var part = try SolidImage.request(.blue, width: 300, height: 300)
    part.region = PixelArea(left: 0, top: 0, width: 100, height: 60)
    let outcome = Outcome()
    view.hc.setImage(with: part, completion: outcome.take)
    try await stage.until("a region is shown", within: 300) { outcome.count == 1 }
    try stage.require(abs(view.zoom - 5) < 0.01, "the zoom of a region is \(view.zoom)")
    // A picture that stays until the next one is loaded leaves it no zoom.
    view.zoom = 8
    view.hc.setImage(
      with: try SolidImage.request(.green, width: 300, height: 300), options: ImageViewOptions(keepsCurrentImage: true),
      completion: outcome.take)
    try await stage.until("the next picture is shown", within: 300) { outcome.count == 2 }
    try stage.require(abs(view.zoom - 301.0 / 300) < 0.01, "the zoom of the next picture is \(view.zoom)")
  }

  /// An image that is loaded anew each time: its tiles are of the bytes that have just been stored, and a new version stays in place.
  static func versions(_ stage: Stage) async throws {
    let data = try photo()
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { server in
        let view = ZoomableView(pipeline: ImagePipeline { $0.cache = ImageCache(in: folder) })
        guard let widget = view.widget else { return }
        try await stage.add(widget, width: 403, height: 301)
        var request = ImageRequest(url: server.serve("/photo.jpg", .body(data)))
        request.cachePolicy = .reload
        let outcome = Outcome()
        view.hc.setImage(with: request, completion: outcome.take)
        try await stage.until("the whole picture is shown") { outcome.count == 1 }
        (view.zoom, view.centre) = (1, (x: 700, y: 600))
        try await requireWhole(view, stage)
        try stage.require(
          server.requests(for: "/photo.jpg").count == 1,
          "\(server.requests(for: "/photo.jpg").count) requests for an image and its tiles")
        view.hc.setImage(with: request, completion: outcome.take)
        try await stage.until("it is loaded again") { outcome.count == 2 }
        try stage.require(view.zoom == 1 && view.centre == (700, 600), "it shows \(view.centre) at \(view.zoom)")
        try await requireWhole(view, stage)
        try stage.require(
          server.requests(for: "/photo.jpg").count == 2,
          "\(server.requests(for: "/photo.jpg").count) requests for two images and their tiles")
      }
    }
  }

  /// Pixels that are translucent are not drawn over each other, and show no edges of tiles.
  static func translucent(_ stage: Stage) async throws {
    let bitmap = try Bitmap(size: PixelSize(width: 1200, height: 900), isOpaque: false) { pixels in
      for index in pixels.indices { pixels[index] = [64, 0, 0, 128][index % 4] }
    }
    let data = try PNGEncoder().encode(DecodedImage(bitmap: bitmap), options: EncodingOptions())
    let view = try await show(stage, data)
    guard let widget = view.widget else { return }
    for zoom in [1, 0.77] {
      view.zoom = zoom
      for isSharp in [false, true] {
        if isSharp { try await stage.until("the tiles are loaded") { view.isSharp } }
        await stage.nextFrame()
        let shot = try stage.screenshot(of: widget)
        for index in stride(from: 0, to: shot.width * shot.height, by: 7) {
          let found = shot.color(
            x: (Double(index % shot.width) + 0.5) / Double(shot.width),
            y: (Double(index / shot.width) + 0.5) / Double(shot.height))
          try stage.require(
            found.isNear(Color(red: 64, green: 0, blue: 0, alpha: 128), tolerance: 2),
            "\(found) is drawn at \(index % shot.width),\(index / shot.width) at the zoom \(zoom)")
        }
      }
    }
  }

  /// The widget keeps the view alive, and frees it with its tiles.
  static func freed(_ stage: Stage) async throws {
    weak var released: ZoomableView?
    do {
      let view = try await show(stage, photo())
      released = view
      view.zoom = 1
    }
    try await stage.until("the tiles are loaded") { released?.isSharp == true && SharedTextures.all.count > 1 }
    if let widget = released?.widget { stage.remove(widget) }
    try await stage.until("the view and its textures are freed") { released == nil && SharedTextures.all.count == 0 }
    let kept = try await show(stage, photo())
    kept.zoom = 1
    if let widget = kept.widget { stage.remove(widget) }
    try stage.require(kept.widget == nil, "the widget of a view that the program keeps is a freed one")
    (kept.zoom, kept.centre, kept.zoomRange) = (2, (x: 1, y: 1), 1...2)
  }

  /// Run with `GTK_A11Y=test`.
  static func accessibility(_ stage: Stage) async throws {
    let view = ZoomableView(pipeline: ViewScenes.pipeline())
    guard let widget = view.widget else { return }
    try await stage.add(widget)
    let (label, description) = (GTK_ACCESSIBLE_PROPERTY_LABEL, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION)
    view.hc.setImage(
      with: try SolidImage.request(.green), options: ImageViewOptions(alternativeText: "A green square"))
    try await stage.until("it is shown") { view.hc.phase.image != nil }
    try stage.require(gtk_test_accessible_has_property(widget.opaque, label) != 0, "it has no label")
    try stage.require(gtk_test_accessible_has_property(widget.opaque, description) != 0, "its zoom is not told")
    try stage.require(gtk_widget_grab_focus(widget) != 0, "it cannot have the focus")
  }
}
#endif
