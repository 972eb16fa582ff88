#if GTK
import CGTK
import Foundation
import Halcyon
import HalcyonGTK
import TestSupport

/// Previews, retries, transition groups and scale factors.
@MainActor
enum LoadingScenes {
  static func previews(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let data = try Photos.data("rocket_progressive.jpg")
      let url = server.serve("/a.jpg", .body(data).held(by: gate, at: .body(data.count / 2)))
      let picture = try await stage.addPicture(width: 320, height: 214)
      var request = ImageRequest(url: url)
      request.previews = PreviewPolicy()
      let outcome = Outcome()
      picture.hc.setImage(with: request, pipeline: ViewScenes.pipeline(), completion: outcome.take)
      try await stage.until("half of it is shown") { picture.hc.content.role == .preview }
      await stage.nextFrame()
      let preview = try stage.screenshot(of: picture)
      try stage.require(outcome.count == 0, "the completion was called for a preview")
      gate.open()
      try await stage.until("it is loaded") { outcome.count == 1 }
      await stage.nextFrame()
      let image = try stage.screenshot(of: picture)
      // Points in the sky, on the rocket and on the lawn: the same image in less detail.
      for point in [(0.1, 0.2), (0.5, 0.5), (0.8, 0.9)] {
        let (early, late) = (preview.color(x: point.0, y: point.1), image.color(x: point.0, y: point.1))
        try stage.require(early.isNear(late, tolerance: 40), "at \(point) the preview has \(early), not \(late)")
      }
    }
  }

  static func click(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a.png", .status(404), .body(try SolidImage.png(.green)))
      let picture = try await stage.addPicture()
      var options = ImageViewOptions()
      options.retriesOnTap = true
      let outcome = Outcome()
      picture.hc.setImage(
        with: url, placeholder: .image(try SolidImage.image(.blue)), options: options, pipeline: ViewScenes.pipeline(),
        completion: outcome.take)
      try await stage.until("it has failed") { outcome.count == 1 }
      try await stage.require(picture, is: .blue)
      try stage.click(picture)
      try await stage.until("it is loaded") { picture.hc.content.role == .image }
      try await stage.require(picture, is: .green)
      try stage.click(picture)
      try stage.require(!picture.hc.isLoading, "a click reloads an image that is loaded")
      let count = server.requests(for: "/a.png").count
      try stage.require(count == 2, "the server received \(count) requests")
    }
  }

  static func transitionGroup(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let late = server.serve("/late.png", .body(try SolidImage.png(.green)).held(by: gate))
      let early = server.serve("/early.png", .body(try SolidImage.png(.red)))
      let (first, second) = (try await stage.addPicture(), try await stage.addPicture())
      let pipeline = ViewScenes.pipeline()
      var options = ImageViewOptions()
      options.transitionGroup = TransitionGroup(count: 2)
      let outcome = Outcome()
      first.hc.setImage(with: early, options: options, pipeline: pipeline, completion: outcome.take)
      second.hc.setImage(with: late, options: options, pipeline: pipeline, completion: outcome.take)
      // The first image has been loaded when only the second load is in flight.
      _ = try await pipeline.image(for: ImageRequest(url: early, size: .fit(width: 100, height: 100)))
      try await stage.require(first, is: .clear)
      gate.open()
      try await stage.until("both are loaded") { outcome.count == 2 }
      try await stage.require(first, is: .red)
      try await stage.require(second, is: .green)
    }
  }

  /// Run with `GDK_SCALE=2`: two device pixels per point.
  static func doubleScale(_ stage: Stage) async throws {
    let picture = try await stage.addPicture(width: 120, height: 80)
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_COVER)
    let scale = gtk_widget_get_scale_factor(picture)
    try stage.require(scale == 2, "the scale factor is \(scale)")
    let outcome = Outcome()
    picture.hc.setImage(
      with: ImageRequest(source: .data(try SolidImage.png(.red, width: 1000, height: 1000))),
      pipeline: ViewScenes.pipeline(), completion: outcome.take)
    try await stage.until("it is loaded") { outcome.count == 1 }
    let size = try outcome.last?.get().image.size
    try stage.require(size == PixelSize(width: 240, height: 160), "it was decoded at \(String(describing: size))")
    try await stage.require(picture, x: 0.05, y: 0.05, is: .red)
    try await stage.require(picture, x: 0.95, y: 0.95, is: .red)
  }
}
#endif
