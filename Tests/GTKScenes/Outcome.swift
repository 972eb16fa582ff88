#if GTK
import CHalcyonGTK
import Halcyon
import HalcyonGTK

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

extension Stage {
  /// Sets a view to an image, and waits until it is loaded and shown.
  @discardableResult
  func load(
    _ request: ImageRequest, in view: UnsafeMutablePointer<GtkWidget>, options: ImageViewOptions = ImageViewOptions(),
    pipeline: ImagePipeline = ViewScenes.pipeline()
  ) async throws -> Outcome {
    let outcome = Outcome()
    view.hc.setImage(with: request, options: options, pipeline: pipeline, completion: outcome.take)
    try await until("it is loaded") { outcome.count == 1 }
    return outcome
  }
}
#endif
