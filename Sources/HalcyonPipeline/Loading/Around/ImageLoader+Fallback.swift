import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Which sources are tried: alternatives in their order, stale images first, and all within the timeout.
extension ImageLoader {
  /// The image of a request without options. Most loads are such: without a response, they wait in less memory.
  ///
  /// - Parameter lookup: The outcome of the look-up in memory, which was not a hit.
  @inline(never)
  func image(
    for request: ImageRequest, keys: RequestKeys, missing lookup: MemoryLookup
  ) async throws(ImageError) -> DecodedImage {
    let subscription = LoadSubscription(priority: request.loadPriority)
    guard monitor == nil, request.hasSingleSource, request.targetSize.isValid else {
      return try await response(for: request, keys: keys, missing: lookup, subscription: subscription).image
    }
    return try await load(request, keys: keys, stale: lookup.staleImage, subscription, keepsResult: true).image
  }

  /// Loads from the first source that succeeds.
  ///
  /// - Parameter lookup: The outcome of the look-up in memory, which was not a hit.
  func response(
    for request: ImageRequest, keys: RequestKeys, after lookup: MemoryLookup, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    guard request.targetSize.isValid else { throw .invalidTargetSize(request.targetSize) }
    if request.hasSingleSource {
      return try await singleResponse(for: request, keys: keys, stale: lookup.staleImage, subscription)
    }
    return try await anyResponse(for: request, keys: keys, after: lookup, subscription)
  }

  /// Apart from the most frequent case, to keep its async frame small.
  @inline(never)
  private func anyResponse(
    for request: ImageRequest, keys: RequestKeys, after lookup: MemoryLookup, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    try await withTimeout(of: request, subscription) { [self] () async throws(ImageError) in
      try await withAlternatives(of: request, subscription) { () async throws(ImageError) in
        let stale: DecodedImage?
        switch await cached(request, keys: keys, lookup.staleImage, subscription) {
        case .fresh(let response): return response
        case .stale(let image): stale = image
        }
        return try await applyingLowDataMode(request, subscription) { request throws(ImageError) in
          try await singleResponse(for: request, keys: keys, stale: stale, subscription)
        } other: { request throws(ImageError) in
          try await otherResponse(for: request, subscription)
        }
      } other: { request throws(ImageError) in
        try await otherResponse(for: request, subscription)
      }
    }
  }

  /// The response from another source than the request's own, which has keys of its own.
  private func otherResponse(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> ImageResponse {
    let keys = RequestKeys(request)
    let lookup = lookUpMemory(request, key: keys.image)
    configuration.report(lookup.event(for: request), to: subscription)
    if case .hit(let image) = lookup { return ImageResponse(memory: image) }
    return try await singleResponse(for: request, keys: keys, stale: lookup.staleImage, subscription)
  }

  /// The encoded bytes from the first source that succeeds. They are stored, although only their header has been read.
  func encodedImage(
    for request: ImageRequest, onProgress: (@Sendable (LoadProgress) -> Void)? = nil
  ) async throws(ImageError) -> EncodedImage {
    let subscription = LoadSubscription(priority: request.loadPriority) { event in
      if case .progress(let progress) = event { onProgress?(progress) }
    }
    return try await encodedImage(for: request, subscription: subscription)
  }

  func encodedImage(
    for request: ImageRequest, subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    if monitor != nil { return try await reportedEncodedImage(for: request, subscription) }
    return try await encodedImage(for: request, subscription)
  }

  @inline(never)
  private func reportedEncodedImage(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    try await reporting(request, to: subscription, end: { .finished($0.origin, $0.trace) }) {
      () async throws(ImageError) in
      try await encodedImage(for: request, subscription)
    }
  }

  private func encodedImage(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    if request.hasSingleSource { return try await singleEncodedImage(for: request, subscription) }
    return try await anyEncodedImage(for: request, subscription)
  }

  @inline(never)
  private func anyEncodedImage(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    try await withFallback(request, subscription) { [self] request throws(ImageError) in
      try await singleEncodedImage(for: request, subscription)
    }
  }

  private func singleEncodedImage(
    for request: ImageRequest, _ subscription: LoadSubscription
  ) async throws(ImageError) -> EncodedImage {
    let encoded = try await bytes.encodedImage(
      for: request, key: RequestKeys.fetch(request), subscription: subscription)
    try await store(encoded, of: request)
    return encoded
  }

  /// Starts storing the bytes and, if the request waits for it, waits until they are stored.
  @inline(never)
  func store(_ encoded: EncodedImage, of request: ImageRequest) async throws(ImageError) {
    await storeOriginalIfWanted(encoded, of: request, nil)
    if request.waitsForWrite { try await encoded.waitForWriting() }
    if request.optionsBox != nil { try await applyStoreOptions(request, after: encoded) }
  }

  /// Calls `load` with each source of a request until one succeeds.
  func withFallback<Value: Sendable>(
    _ request: ImageRequest, _ subscription: LoadSubscription,
    _ load: @escaping @Sendable (ImageRequest) async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await withTimeout(of: request, subscription) { [self] () async throws(ImageError) in
      try await withAlternatives(of: request, subscription) { () async throws(ImageError) in
        try await applyingLowDataMode(request, subscription, load, other: load)
      } other: { request throws(ImageError) in
        try await load(request)
      }
    }
  }

  private func withAlternatives<Value>(
    of request: ImageRequest, _ subscription: LoadSubscription, first: () async throws(ImageError) -> Value,
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
      if let error = errors.last { configuration.report(.fallback(to: source, after: error), to: subscription) }
      do throws(ImageError) {
        return try await other(request.from(source))
      } catch {
        if error.isCancellation { throw error }
        errors.append(error)
      }
    }
    throw .allSourcesFailed(errors)
  }

  /// An image from the caches.
  private enum CachedImage {
    case fresh(ImageResponse)
    /// An image to revalidate, if there is one.
    case stale(DecodedImage?)
  }

  /// Looks into the store if the request shows stale images first, and sends a stale image as a preview.
  ///
  /// - Parameter stale: The stale image in memory.
  private func cached(
    _ request: ImageRequest, keys: RequestKeys, _ stale: DecodedImage?, _ subscription: LoadSubscription
  ) async -> CachedImage {
    guard request.freshness == .staleFirst else { return .stale(stale) }
    if let stale {
      subscription.report(.preview(stale))
      return .stale(stale)
    }
    var stored = request
    stored.cachePolicy = .cacheOnly
    guard let response = try? await singleResponse(for: stored, keys: keys, subscription) else { return .stale(nil) }
    if isFresh(response.image) { return .fresh(response) }
    subscription.report(.preview(response.image))
    // An image that the storage policy has encoded was not decoded from the bytes that are revalidated.
    return .stale(request.storagePolicy.encodesImages ? nil : response.image)
  }
}

extension ImageRequest {
  /// Whether no alternative, timeout or stale image is involved. Most requests are such, and wait in less memory.
  fileprivate var hasSingleSource: Bool {
    alternatives.isEmpty && lowDataSource == nil && freshness != .staleFirst && optionsBox?.options.timeout == nil
  }

  func from(_ source: ImageSource) -> ImageRequest {
    var request = self
    request.source = source
    return request
  }
}

extension ImageError {
  /// Whether the load was ended by the program, so that nothing else is tried.
  var isCancellation: Bool {
    switch self {
    case .cancelled, .pipelineInvalidated: true
    default: false
    }
  }
}
