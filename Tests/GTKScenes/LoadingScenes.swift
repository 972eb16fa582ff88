#if GTK
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Previews and retries.
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
      try await stage.until("half of it is shown") { picture.hc.binder.content.role == .preview }
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
      try await stage.until("it is loaded") { picture.hc.binder.content.role == .image }
      try await stage.require(picture, is: .green)
      try stage.click(picture)
      try stage.require(!picture.hc.isLoading, "a click reloads an image that is loaded")
      let count = server.requests(for: "/a.png").count
      try stage.require(count == 2, "the server received \(count) requests")
    }
  }
}
#endif
