#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// What the theme and the settings of a desktop change while views are shown.
@MainActor
enum ThemeScenes {
  private static let icon = ImagePlaceholder.icon("go-next-symbolic")

  /// A symbolic icon that is set before its widget is in a window, and whose colour then changes.
  static func iconColor(_ stage: Stage) async throws {
    guard let picture = gtk_picture_new() else { return }
    picture.hc.setImage(with: nil as URL?, placeholder: icon, pipeline: ViewScenes.pipeline())
    let provider = try style(".shown { color: rgb(255, 0, 0); }")
    gtk_widget_add_css_class(picture, "shown")
    try await stage.add(picture, width: 64, height: 64)
    try await stage.until("it is red", within: 20) { pixels(picture, stage).contains { $0.isNear(.red, tolerance: 3) } }
    load(".shown { color: rgb(0, 0, 255); }", into: provider)
    try await stage.until("it is blue", within: 20) {
      pixels(picture, stage).contains { $0.isNear(.blue, tolerance: 3) }
    }
    try stage.require(!pixels(picture, stage).contains { $0.isNear(.red, tolerance: 40) }, "a part of it is still red")
  }

  /// The arrow of the icon points to the other side.
  static func iconDirection(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 64, height: 64)
    picture.hc.setImage(with: nil as URL?, placeholder: icon, pipeline: ViewScenes.pipeline())
    await stage.nextFrame()
    let (leftToRight, halves) = (pixels(picture, stage), try opaqueHalves(picture, stage))
    gtk_widget_set_direction(picture, GTK_TEXT_DIR_RTL)
    try await stage.until("it is mirrored", within: 20) {
      let now = pixels(picture, stage)
      return now != leftToRight && now.contains { $0.alpha > 128 }
    }
    let mirrored = try opaqueHalves(picture, stage)
    try stage.require(
      halves.left == mirrored.right && halves.right == mirrored.left, "\(halves) became \(mirrored)")
  }

  /// The ring of a progress and its disc have colours of the theme.
  static func progressColors(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    _ = try style(
      "@define-color theme_bg_color rgb(0, 0, 255); @define-color theme_selected_bg_color rgb(0, 255, 0);"
        + " @define-color accent_color rgb(0, 255, 0);")
    try await ImageServer.run { server in
      let gate = Gate()
      let data = try SolidImage.png(.red, width: 500, height: 500)
      let url = server.serve("/a.png", .body(data).held(by: gate, at: .body(data.count / 2)))
      var fraction = 0.0
      picture.hc.setImage(
        with: url, options: ImageViewOptions(indicator: .progress), pipeline: ViewScenes.pipeline())?
        .onProgress { fraction = $0.fraction ?? 0 }
      try await stage.until("half of it has been received") { abs(fraction - 0.5) < 0.05 }
      await stage.nextFrame()
      let ring = try stage.screenshot(of: picture).color(x: 0.605, y: 0.5)
      try stage.require(ring.green > 200 && ring.red < 30, "the ring is \(ring)")
      let disc = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      let expected = Color(red: 0, green: 0, blue: 204, alpha: 204)
      try stage.require(disc.isNear(expected, tolerance: 3), "the disc is \(disc)")
      gate.open()
    }
  }

  /// Without animations, a spinner does not turn, and an animated image shows its first frame until it is played.
  static func reducedMotion(_ stage: Stage) async throws {
    setAnimations(false)
    let picture = try await stage.addPicture()
    try await AnimationScenes.play(in: picture, stage)
    for _ in 0..<30 { await stage.nextFrame() }
    try stage.require(picture.hc.animation.currentFrame == 0, "it plays")
    picture.hc.animation.play()
    try await stage.until("it plays") { picture.hc.animation.currentFrame == 2 }
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      picture.hc.setImage(
        with: url, options: ImageViewOptions(indicator: .activity, transition: .crossFade(.seconds(60))),
        pipeline: ViewScenes.pipeline())
      await stage.nextFrame()
      let first = try stage.screenshot(of: picture)
      for _ in 0..<30 { await stage.nextFrame() }
      try stage.require(try stage.screenshot(of: picture) == first, "the spinner turns")
      gate.open()
      try await stage.until("it is loaded") { picture.hc.binder.content.role == .image }
      try await stage.require(picture, is: .green)
    }
  }

  /// A fade that is interrupted by another one goes on from the mixture that it has reached.
  static func interruptedFade(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let pipeline = ViewScenes.pipeline()
    var options = ImageViewOptions(keepsCurrentImage: true)
    for color in [Color.red, .green, .blue] {
      let before = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      picture.hc.setImage(
        with: ImageRequest(source: .data(try SolidImage.png(color))), options: options, pipeline: pipeline)
      try await stage.until("it is loaded") { !picture.hc.isLoading }
      if color == .blue {
        await stage.nextFrame()
        let after = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
        let rest = 1 - Double(after.blue) / 255
        // No brighter than the mixture before, which may have gone on for some frames while the image was loaded.
        try stage.require(rest > 0.5, "the second fade began at \(after)")
        try stage.require(
          Double(after.green) / 255 < rest * 0.8 && after.red > 0, "the fade jumped from \(before) to \(after)")
      }
      guard color == .green else {
        options.transition = .crossFade(.seconds(4))
        continue
      }
      try await stage.until("a third of it has faded in") {
        (try? stage.screenshot(of: picture).color(x: 0.5, y: 0.5)).map { $0.green > 85 } == true
      }
    }
  }

  /// A window that is minimised pauses animations. Without a window manager, the property that one would set is set.
  static func minimized(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    try await AnimationScenes.play(in: picture, stage)
    try await stage.until("it plays") { picture.hc.animation.currentFrame == 2 }
    guard let surface = gtk_native_get_surface(OpaquePointer(stage.window)),
      let function = dlsym(nil, "gdk_x11_surface_get_xid")
    else { throw Stage.Failure(description: "there is no window of X11") }
    let xid = unsafeBitCast(function, to: (@convention(c) (OpaquePointer) -> UInt).self)(surface)
    try xprop(xid, ["-f", "_NET_WM_STATE", "32a", "-set", "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"])
    try await stage.until("it is hidden") { !picture.hc.binder.isVisible }
    let frame = picture.hc.animation.currentFrame
    for _ in 0..<30 { await stage.nextFrame() }
    try stage.require(picture.hc.animation.currentFrame == frame, "it plays while the window is minimised")
    try xprop(xid, ["-remove", "_NET_WM_STATE"])
    try await stage.until("it plays again") {
      picture.hc.binder.isVisible && picture.hc.animation.currentFrame != frame
    }
  }

  private static func xprop(_ xid: UInt, _ arguments: [String]) throws {
    let child = try ChildProcess("/usr/bin/xprop", ["-id", String(xid)] + arguments)
    guard child.end() == .exit(0) else { throw Stage.Failure(description: "xprop failed") }
  }

  private static func pixels(_ widget: UnsafeMutablePointer<GtkWidget>, _ stage: Stage) -> [Color] {
    guard let screenshot = try? stage.screenshot(of: widget) else { return [] }
    return stride(from: 0.01, to: 1, by: 0.02).flatMap { y in
      stride(from: 0.01, to: 1, by: 0.02).map { screenshot.color(x: $0, y: y) }
    }
  }

  /// The number of opaque pixels in the left and in the right half.
  private static func opaqueHalves(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ stage: Stage
  ) throws -> (left: Int, right: Int) {
    let screenshot = try stage.screenshot(of: widget)
    func count(_ columns: Range<Int>) -> Int {
      columns.reduce(0) { sum, x in
        sum
          + (0..<screenshot.height).count { y in
            screenshot.color(
              x: (Double(x) + 0.5) / Double(screenshot.width), y: (Double(y) + 0.5) / Double(screenshot.height)
            ).alpha > 128
          }
      }
    }
    let middle = screenshot.width / 2
    return (count(0..<middle), count(middle..<screenshot.width))
  }

  /// Adds a style sheet above the theme.
  private static func style(_ css: String) throws -> UnsafeMutablePointer<GtkCssProvider> {
    guard let provider = gtk_css_provider_new() else { throw Stage.Failure(description: "no style sheet") }
    load(css, into: provider)
    gtk_style_context_add_provider_for_display(
      gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_USER))
    return provider
  }

  private static func load(_ css: String, into provider: UnsafeMutablePointer<GtkCssProvider>) {
    gtk_shim_load_css(provider, css)
  }

  static func setAnimations(_ isEnabled: Bool) {
    guard let settings = gtk_settings_get_default() else { return }
    let value = zeroedValues(1)
    defer { freeValues(value) }
    g_value_init(&value[0], g_type_from_name("gboolean"))
    g_value_set_boolean(&value[0], isEnabled ? 1 : 0)
    g_object_set_property(
      UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations",
      value.baseAddress)
  }
}
#endif
