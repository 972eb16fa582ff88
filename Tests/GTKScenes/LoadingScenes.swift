#if GTK
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Retries.
@MainActor
enum LoadingScenes {
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
