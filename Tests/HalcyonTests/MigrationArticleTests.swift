import Foundation
import Halcyon
import HalcyonViews
import Testing

/// The snippets of the article for users of other libraries. They are only compiled.
@MainActor
private struct MigrationArticle {
  func load(_ url: URL) async throws -> DecodedImage {
    let image = try await ImagePipeline.shared.image(for: url)
    return image
  }

  func view(_ view: SomeView, _ url: URL, _ grey: ImagePlaceholder) {
    view.hc.setImage(with: url, placeholder: grey, options: ImageViewOptions(transition: .crossFade))
  }

  func requests(_ url: URL, token: String) -> [ImageRequest] {
    let downsampled = ImageRequest(url: url, size: .fit(width: 400, height: 400))  // pixels
    let processed = ImageRequest(url: url, processors: [.roundedCorners(radius: 16), .blur(radius: 8)])
    var request = ImageRequest(url: url)
    request.options.retryStrategy = ExponentialBackoff(attemptLimit: 3)
    let authorised = ImageRequest(url: url, headers: ["Authorization": "Bearer \(token)"])
    let reloaded = ImageRequest(url: url, freshness: .reloadIgnoringCache)
    return [downsampled, processed, request, authorised, reloaded]
  }

  func prefetch(_ urls: [URL]) {
    ImagePrefetcher().start(urls)
  }

  func memory(_ request: ImageRequest) -> DecodedImage? {
    let image = ImagePipeline.shared[cached: request]
    return image
  }

  func progress(_ view: SomeView, _ url: URL, _ bar: Bar) {
    view.hc.setImage(with: url, completion: nil) { bar.fraction = $0.fraction }
  }

  func caches(_ image: DecodedImage, _ request: ImageRequest) async throws {
    let cache = ImageCache(
      memory: MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20)),
      store: DiskCache(configuration: DiskCacheConfiguration(sizeLimit: 500 << 20, expiration: .days(7))))
    ImagePipeline.shared = ImagePipeline(cache: cache)
    try await ImagePipeline.shared.store(image, for: request)
    try await ImagePipeline.shared.removeCached(request)
  }
}

/// A view of some toolkit: `hc` is the binder, whose methods the toolkits forward.
@MainActor
private struct SomeView {
  let hc: ImageViewBinder
}

@MainActor
private final class Bar {
  var fraction = 0.0
}
