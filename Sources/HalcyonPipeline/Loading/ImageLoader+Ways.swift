import HalcyonImaging
import HalcyonHTTP

/// The sources of a request, one after the other, within the time that it allows.
extension ImageLoader {
  /// The image of the first of the request's sources that gives one.
  func response(
    for request: ImageRequest, keys: RequestKeys, interest: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    guard request.size.isValid else { throw .invalidTargetSize(request.size) }
    if request.hasOneWay { return try await singleResponse(for: request, keys: keys, interest) }
    return try await anyResponse(for: request, keys: keys, interest)
  }

  /// Apart from the most frequent case, so that its frame has no room for this one.
  @inline(never)
  private func anyResponse(
    for request: ImageRequest, keys: RequestKeys, _ interest: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    try await inTime(request) { [self] () async throws(ImageError) in
      try await fromAnySource(of: request) { () async throws(ImageError) in
        if let response = await staleResponse(for: request, keys: keys, interest) { return response }
        return try await thriftily(request) { request throws(ImageError) in
          try await singleResponse(for: request, keys: keys, interest)
        } other: { request throws(ImageError) in
          try await response(for: request, interest)
        }
      } other: { request throws(ImageError) in
        try await response(for: request, interest)
      }
    }
  }

  /// The encoded bytes of the first of the request's sources that gives some.
  func body(for request: ImageRequest) async throws(ImageError) -> EncodedImage {
    let interest = LoadSubscription(priority: request.priority)
    if monitor != nil { return try await reportedBody(for: request, interest) }
    return try await body(for: request, interest)
  }

  @inline(never)
  private func reportedBody(
    for request: ImageRequest, _ interest: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    try await reporting(request, to: interest, end: { .finished($0.origin, $0.trace) }) {
      () async throws(ImageError) in
      try await body(for: request, interest)
    }
  }

  private func body(for request: ImageRequest, _ interest: LoadSubscription) async throws(ImageError) -> EncodedImage {
    if request.hasOneWay { return try await singleBody(for: request, interest) }
    return try await anyBody(of: request) { [self] request throws(ImageError) in
      try await singleBody(for: request, interest)
    }
  }

  private func singleBody(for request: ImageRequest, _ interest: LoadSubscription) async throws(ImageError)
    -> EncodedImage
  {
    try await fetcher.body(for: request, key: RequestKeys.fetch(request), interest: interest)
  }

  /// What `load` makes of the bytes of the first source that has some, in a request that has no other source.
  func anyBody<Value: Sendable>(
    of request: ImageRequest, _ load: @escaping @Sendable (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await inTime(request) { [self] () async throws(ImageError) in
      try await fromAnySource(of: request) { () async throws(ImageError) in
        try await thriftily(request, load, other: load)
      } other: { request throws(ImageError) in
        try await load(request)
      }
    }
  }

  private func inTime<Value: Sendable>(
    _ request: ImageRequest, _ load: @escaping @Sendable () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let timeout = request.timeout else { return try await load() }
    return try await withTimeout(timeout, time: configuration.time, load)
  }

  private func fromAnySource<Value>(
    of request: ImageRequest, first: () async throws(ImageError) -> Value,
    other: (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    var errors: [ImageError] = []
    do throws(ImageError) {
      return try await first()
    } catch {
      guard !request.alternatives.isEmpty, !error.isCancellation else { throw error }
      errors.append(error)
    }
    for source in request.alternatives {
      do throws(ImageError) {
        return try await other(request.from(source))
      } catch {
        if error.isCancellation { throw error }
        errors.append(error)
      }
    }
    throw .allSourcesFailed(errors)
  }

  /// Shows what the caches have, where the request wants that; an image that is still fresh is the response.
  private func staleResponse(
    for request: ImageRequest, keys: RequestKeys, _ interest: LoadSubscription
  ) async -> ImageResponse? {
    guard request.showsStaleFirst, request.freshness == .standard else { return nil }
    var kept = request
    kept.freshness = .cacheOnly
    guard let response = try? await response(for: kept, interest) else { return nil }
    if isFresh(response.image) { return response }
    interest.report(.preview(response.image))
    return nil
  }

  /// Where data should be saved, what the caches have, or else the source with less data.
  private func thriftily<Value>(
    _ request: ImageRequest, _ main: (ImageRequest) async throws(ImageError) -> Value,
    other: (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let thrifty = request.lowDataSource, configuration.prefersLowData() else { return try await main(request) }
    var cached = request
    cached.freshness = .offline
    do throws(ImageError) {
      return try await main(cached)
    } catch {
      guard case .notCached = error else { throw error }
      return try await other(request.from(thrifty))
    }
  }

  private func response(for request: ImageRequest, _ interest: LoadSubscription) async throws(ImageError)
    -> ImageResponse
  {
    let keys = RequestKeys(request)
    if let response = memoryResponse(for: request, key: keys.image, telling: interest) { return response }
    return try await singleResponse(for: request, keys: keys, interest)
  }
}

extension ImageRequest {
  /// Whether there is one source, and nothing else to show or to heed: most requests are done sooner, and wait in less
  /// memory.
  fileprivate var hasOneWay: Bool {
    alternatives.isEmpty && lowDataSource == nil && !showsStaleFirst && timeout == nil
  }

  fileprivate func from(_ source: ImageSource) -> ImageRequest {
    var request = self
    request.source = source
    return request
  }
}

extension ImageError {
  /// Whether somebody chose to end the load.
  fileprivate var isCancellation: Bool {
    if case .cancelled = self { return true }
    return false
  }
}
