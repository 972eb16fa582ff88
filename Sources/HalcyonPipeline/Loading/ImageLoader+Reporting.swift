import HalcyonCache
import HalcyonSupport

extension ImageLoader {
  /// The image in memory; tells whether it was there.
  func memoryResponse(for request: ImageRequest, key: CacheKey, telling interest: LoadSubscription) -> ImageResponse? {
    let answer = memoryAnswer(for: request, key: key)
    configuration.tell(answer.miss.map { .memoryMiss($0) } ?? .memoryHit, to: interest)
    return answer.value
  }

  /// The response from memory or elsewhere; tells what happens from beginning to end.
  @inline(never)
  func reportedResponse(
    for request: ImageRequest, keys: RequestKeys, interest: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    if monitor == nil { return try await response(for: request, keys: keys, interest: interest) }
    return try await monitoredResponse(for: request, keys: keys, interest: interest)
  }

  private func monitoredResponse(
    for request: ImageRequest, keys: RequestKeys, interest: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    try await reporting(request, to: interest, end: { .finished($0.origin, $0.trace) }) {
      () async throws(ImageError) in
      if let response = memoryResponse(for: request, key: keys.image, telling: interest) { return response }
      return try await response(for: request, keys: keys, interest: interest)
    }
  }

  /// Runs a load; tells its beginning, its end and what lies between, where somebody listens.
  func reporting<Value>(
    _ request: ImageRequest, to interest: LoadSubscription, end: (Value) -> PipelineEvent.Kind,
    _ load: () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let reporter = monitor?.reporter(for: request) else { return try await load() }
    interest.report(to: reporter)
    reporter.tell(.started)
    do throws(ImageError) {
      let value = try await load()
      reporter.tell(end(value))
      return value
    } catch {
      reporter.tell(.failed(error))
      throw error
    }
  }
}
