import HalcyonHTTP
import HalcyonImaging

/// Shows a stale image at once, as a preview, while it is revalidated.
struct StaleFirst: LoadStep {
  private let loader: ImageLoader

  /// `nil` if the request does not ask for it, or no image is decoded to be shown.
  init?(_ load: Load, in loader: ImageLoader) {
    guard load.request.freshness == .staleFirst, load.memory != nil else { return nil }
    self.loader = loader
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    if let stale = load.memory?.staleImage {
      load.subscription.report(.preview(stale))
      return try await next(load)
    }
    guard let stored = try? await direct(load.changed { $0.cachePolicy = .cacheOnly }), let image = stored.shownImage
    else { return try await next(load) }
    if loader.isFresh(image) { return stored }
    load.subscription.report(.preview(image))
    // A stored variant was not decoded from the bytes that are revalidated.
    return try await next(load.request.encodesImages ? load : load.after(.stale(image)))
  }
}
