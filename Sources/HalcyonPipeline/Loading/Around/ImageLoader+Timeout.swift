import HalcyonSupport

extension ImageLoader {
  /// Runs a load within the timeout of its request, which covers alternatives and retries, but no waiting for a
  /// connection.
  func withTimeout<Value: Sendable>(
    of request: ImageRequest, _ subscription: LoadSubscription,
    _ load: @escaping @Sendable () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let timeout = request.timeout else { return try await load() }
    return try await HalcyonPipeline.withTimeout(timeout, of: subscription, time: configuration.time, load)
  }
}
