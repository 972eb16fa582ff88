/// Events around whole loads; the steps in between report theirs to the subscribers.
extension ImageLoader {
  /// The response for a look-up in memory, or from a load; reports both if there is an event handler.
  @inline(never)
  func response(
    for request: ImageRequest, keys: RequestKeys, lookup: MemoryLookup, subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    if monitor == nil { return try await finish(lookup, request, keys, subscription) }
    return try await reportedResponse(for: request, keys: keys, lookup: lookup, subscription)
  }

  private func reportedResponse(
    for request: ImageRequest, keys: RequestKeys, lookup: MemoryLookup, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    try await reporting(request, to: subscription, end: { .finished($0.origin, $0.trace) }) {
      () async throws(ImageError) in
      configuration.report(lookup.event(for: request), to: subscription)
      return try await finish(lookup, request, keys, subscription)
    }
  }

  private func finish(
    _ lookup: MemoryLookup, _ request: ImageRequest, _ keys: RequestKeys, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    if case .hit(let image) = lookup { return ImageResponse(memory: image) }
    return try await response(for: request, keys: keys, after: lookup, subscription)
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
