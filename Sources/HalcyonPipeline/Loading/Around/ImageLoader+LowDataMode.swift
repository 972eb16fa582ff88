import HalcyonHTTP

extension ImageLoader {
  /// In low data mode: the image in the caches, or else the smaller source of the request. A request that contacts the
  /// server first does so for the smaller source.
  func applyingLowDataMode<Value>(
    _ request: ImageRequest, _ subscription: LoadSubscription,
    _ main: (ImageRequest) async throws(ImageError) -> Value,
    other: (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let smaller = request.lowDataSource, configuration.prefersLowData() else { return try await main(request) }
    if request.freshness.contactsServerFirst { return try await other(request.from(smaller)) }
    var cached = request
    cached.cachePolicy = .cacheOnly
    do throws(ImageError) {
      return try await main(cached)
    } catch {
      guard case .notCached = error else { throw error }
      configuration.report(.fallback(to: smaller, after: error), to: subscription)
      return try await other(request.from(smaller))
    }
  }
}
