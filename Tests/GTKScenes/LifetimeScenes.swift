#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Destroyed and hidden widgets.
@MainActor
enum LifetimeScenes {
  static func destroyed(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      let picture = try await stage.addPicture()
      let pipeline = ViewScenes.pipeline()
      let outcome = Outcome()
      picture.hc.setImage(with: url, pipeline: pipeline, completion: outcome.take)
      try await gate.waitUntilHolding()
      stage.remove(picture)
      try await stage.until("the load has ended") { outcome.count == 1 && pipeline.activeJobCount == 0 }
      guard case .failure(.superseded) = outcome.last else {
        throw Stage.Failure(description: "the load ended with \(String(describing: outcome.last))")
      }
      gate.open()
    }
  }

  static func freed(_ stage: Stage) async throws {
    let finalizations = FinalizationCounter()
    let pipeline = ViewScenes.pipeline()
    let outcome = Outcome()
    var binders: [WeakBinder] = []
    for number in 0..<50 {
      let picture = try await stage.addPicture(width: 10, height: 10)
      finalizations.watch(gpointer(picture))
      binders.append(WeakBinder(binder: picture.hc.binder))
      var options = ImageViewOptions()
      options.indicator = .activity
      options.transition = .crossFade
      options.retriesOnTap = true
      let data = try SolidImage.png(Color(red: number, green: 0, blue: 0))
      picture.hc.setImage(
        with: ImageRequest(source: .data(data)), options: options, pipeline: pipeline, completion: outcome.take)
      try await stage.until("it is loaded") { outcome.count == number + 1 }
      if let paintable = gtk_picture_get_paintable(OpaquePointer(picture)) { finalizations.watch(gpointer(paintable)) }
      stage.remove(picture)
    }
    pipeline.cache.memory.removeAll()
    try await stage.until("all are freed") { finalizations.count == 100 }
    try await stage.until("all binders are freed") { binders.allSatisfy { $0.binder == nil } }
    try await stage.until("all textures are freed") { SharedTextures.all.count == 0 }
  }

  static func hidden(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    picture.hc.setImage(with: nil as URL?, pipeline: ViewScenes.pipeline())
    try stage.require(picture.hc.binder.isVisible, "a mapped view is reported as hidden")
    gtk_widget_set_visible(picture, 0)
    try stage.require(!picture.hc.binder.isVisible, "a hidden view is reported as visible")
    gtk_widget_set_visible(picture, 1)
    try await stage.until("it is visible again") { picture.hc.binder.isVisible }
  }

  /// Widgets that are set to an image in the turn in which they are appended to a window that is shown.
  static func appended(_ stage: Stage) async throws {
    _ = try await stage.addPicture()
    await stage.nextFrame()
    for make in [gtk_picture_new, gtk_image_new] {
      guard let widget = make() else { return }
      stage.append(widget)
      let outcome = Outcome()
      widget.hc.setImage(
        with: try SolidImage.request(.red), pipeline: ViewScenes.pipeline(),
        completion: outcome.take)
      try await stage.until("it is loaded", within: 200) { outcome.count == 1 }
      // The next image is loaded in a widget that was removed and added again, at its old size.
      g_object_ref(gpointer(widget))
      stage.remove(widget)
      await stage.nextFrame()
      stage.append(widget)
      g_object_unref(gpointer(widget))
      widget.hc.setImage(
        with: try SolidImage.request(.green), pipeline: ViewScenes.pipeline(),
        completion: outcome.take)
      try await stage.until("it is loaded again", within: 200) { outcome.count == 2 }
    }
  }

  static func removedByTransition(_ stage: Stage) async throws {
    g_log_set_always_fatal(GLogLevelFlags(G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
    let finalizations = FinalizationCounter()
    for _ in 0..<2 {
      let picture = try await stage.addPicture()
      finalizations.watch(gpointer(picture))
      var options = ImageViewOptions()
      options.transition = .custom { transition in
        if let widget = transition.view as? UnsafeMutablePointer<GtkWidget> { stage.remove(widget) }
      }
      try await stage.load(try SolidImage.request(.red), in: picture, options: options)
    }
    try await stage.until("the widgets are freed", within: 200) { finalizations.count == 2 }
  }

  private struct WeakBinder { weak var binder: ImageViewBinder? }
}
#endif
