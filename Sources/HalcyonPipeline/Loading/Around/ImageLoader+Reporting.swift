/// Events around whole loads; the steps in between report theirs to the subscribers.
extension ImageLoader {
  /// The response after a look-up in memory that was not a hit; reports the load if there is an event handler.
  @inline(never)
  func response(
    for request: ImageRequest, keys: RequestKeys, missing lookup: MemoryLookup, subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    if monitor == nil { return try await response(for: request, keys: keys, after: lookup, subscription) }
    return try await reportedResponse(for: request, keys: keys, missing: lookup, subscription)
  }

  private func reportedResponse(
    for request: ImageRequest, keys: RequestKeys, missing lookup: MemoryLookup, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    try await reporting(request, to: subscription, end: { .finished($0.origin, $0.trace) }) {
      () async throws(ImageError) in
      configuration.report(lookup.event(for: request), to: subscription)
      return try await response(for: request, keys: keys, after: lookup, subscription)
    }
  }

  /// Runs a load and reports its start and end, if there is an event handler.
  func reporting<Value>(
    _ request: ImageRequest, to subscription: LoadSubscription, end: (Value) -> PipelineEvent.Kind,
    _ load: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let reporter = monitor?.reporter(for: request) else { return try await load() }
    subscription.report(to: reporter)
    reporter.report(.started)
    do throws(ImageError) {
      let value = try await load()
      reporter.report(end(value))
      return value
    } catch {
      reporter.report(.failed(error))
      throw error
    }
  }
}
