import HalcyonSupport

extension ImageLoader {
  /// Runs a load within the timeout of its request, which covers all of it: waiting, alternatives and retries.
  func withTimeout<Value: Sendable>(
    of request: ImageRequest, _ load: @escaping @Sendable () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let timeout = request.timeout else { return try await load() }
    return try await HalcyonPipeline.withTimeout(timeout, time: configuration.time, load)
  }
}
