#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK

/// How one image replaces another.
@MainActor
enum TransitionScenes {
  static func crossFade(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let pipeline = ViewScenes.pipeline()
    try await stage.load(try SolidImage.request(.red), in: picture, pipeline: pipeline)
    var options = ImageViewOptions()
    options.keepsCurrentImage = true
    options.transition = .crossFade(.seconds(2))
    picture.hc.setImage(with: try SolidImage.request(.green), options: options, pipeline: pipeline)
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

  static func transitionEnd(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    var options = ImageViewOptions()
    options.transition = .crossFade(.milliseconds(300))
    let outcome = Outcome()
    picture.hc.setImage(
      with: try SolidImage.request(.green), options: options, pipeline: ViewScenes.pipeline(),
      completion: outcome.take)
    try await stage.until("it is shown") { picture.hc.binder.content.role == .image }
    try stage.require(outcome.count == 0, "the completion was called when the fade began")
    try await stage.until("the fade has ended") { outcome.count == 1 }
    try await stage.require(picture, is: .green)
  }

  /// A view that is hidden ends its fade, and one that is hidden already begins none.
  static func hidden(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let pipeline = ViewScenes.pipeline()
    try await stage.load(try SolidImage.request(.red), in: picture, pipeline: pipeline)
    let options = ImageViewOptions(keepsCurrentImage: true, transition: .crossFade(.seconds(1000)))
    for (color, isHidden) in [(Color.green, false), (.blue, true)] {
      let outcome = Outcome()
      if isHidden { gtk_widget_set_visible(picture, 0) }
      var request = try SolidImage.request(color)
      // A hidden widget has no size.
      request.size = .original
      picture.hc.setImage(with: request, options: options, pipeline: pipeline, completion: outcome.take)
      if !isHidden {
        try await stage.until("it is loaded") { picture.hc.binder.content.role == .image && !picture.hc.isLoading }
        for _ in 0..<3 { await stage.nextFrame() }
        try await stage.require(picture, is: .red, tolerance: 40)
        try stage.require(outcome.count == 0, "the fade has ended")
        gtk_widget_set_visible(picture, 0)
      }
      try await stage.until("it is complete", within: 1000) { outcome.count == 1 }
      gtk_widget_set_visible(picture, 1)
      try await stage.until("it is visible again") { picture.hc.binder.isVisible }
      try await stage.require(picture, is: color)
    }
  }

  /// A cross-fade from an empty view that is interrupted before its first frame.
  static func fadeFromNothing(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    try await stage.load(try SolidImage.request(.blue), in: picture)
    await stage.nextFrame()
    let options = ImageViewOptions(transition: .crossFade(.seconds(2)), transitionOrigins: [.memory])
    let pipeline = ViewScenes.pipeline()
    let requests = try [Color.red, .green].map { try SolidImage.request($0) }
    for request in requests { _ = try await pipeline.image(for: request) }
    for request in requests + requests {
      var sized = request
      sized.size = .original
      picture.hc.setImage(with: nil as URL?, pipeline: pipeline)
      picture.hc.setImage(with: sized, options: options, pipeline: pipeline)
    }
    let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
    g_object_unref(gpointer(gdk_paintable_get_current_image(paintable)))
    picture.hc.setImage(with: nil as URL?, pipeline: pipeline)
    g_object_unref(gpointer(gdk_paintable_get_current_image(paintable)))
  }

  static func custom(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    let pipeline = ViewScenes.pipeline()
    try await stage.load(try SolidImage.request(.red), in: picture, pipeline: pipeline)
    var begun: CustomTransition?
    let options = ImageViewOptions(keepsCurrentImage: true, transition: .custom { begun = $0 })
    let outcome = Outcome()
    picture.hc.setImage(
      with: try SolidImage.request(.green), options: options, pipeline: pipeline, completion: outcome.take)
    try await stage.until("it begins") { begun != nil }
    try stage.require(begun?.view as? UnsafeMutablePointer<GtkWidget> == picture, "it got another view")
    try await stage.require(picture, is: .red)
    begun?.showImage()
    try await stage.require(picture, is: .green)
    try stage.require(outcome.count == 0, "the completion did not wait for the end")
    begun?.end()
    try stage.require(outcome.count == 1, "the completion was called \(outcome.count) times")
  }
}
#endif
