import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// Sources without HTTP: files, data and closures of the caller.
extension CachingLoader {
  /// What a closure of the caller returned.
  struct Provided: Sendable {
    let data: Data
    /// The decoded image, if the closure returned one.
    var image: DecodedImage?
  }

  func providedImage(
    _ request: ImageRequest, key: CacheKey, _ subscription: LoadSubscription, _ watch: RemovalWatch,
    provide: @escaping @Sendable () async throws(ImageError) -> Provided
  ) async throws(ImageError) -> EncodedImage {
    var trace = LoadTrace()
    let inFlightKey = configuration.inFlightKey(key, for: request, watch)
    if request.readsStore, !request.freshness.contactsServerFirst {
      if let image = inFlight[inFlightKey] {
        configuration.report(.joined(.bytes), to: subscription)
        return image
      }
      if let image = await storedProvidedImage(request, key, subscription, watch, trace: &trace) { return image }
    } else {
      configuration.report(.storeMiss(.notRead), to: subscription)
    }
    guard request.freshness.usesNetwork else { throw .notCached(key: key.sourceText) }
    let start = ContinuousClock.now
    let provided = try await LoadChain.calling(for: link(key), provide)
    trace.add(.transfer, since: start)
    let image = try localImage(
      provided, of: request, url: nil, origin: .provider, watch,
      storeKey: request.writesStore && provided.image?.isPartial != true ? inFlightKey : nil, trace: trace)
    if image.storable != nil { inFlight.insert(image, for: inFlightKey) }
    return image
  }

  /// A store that fails counts as a miss.
  private func storedProvidedImage(
    _ request: ImageRequest, _ key: CacheKey, _ subscription: LoadSubscription, _ watch: RemovalWatch,
    trace: inout LoadTrace
  ) async -> EncodedImage? {
    let cache = configuration.cache(for: request)
    guard let store = configuration.store(of: cache, for: request) else {
      report(.notRead, nil, to: subscription)
      return nil
    }
    let start = ContinuousClock.now
    let (result, tier) = await TierTrace.recording { (try? await store.lookUp(key)) ?? .miss(.failed) }
    trace.add(.storeRead, since: start, miss: result.miss, tier: tier)
    let image = result.value.flatMap { storedImage($0, for: request, isFromHTTP: false, trace: trace, watch) }
    report(image == nil ? result.miss ?? .damaged : nil, image, to: subscription)
    return image
  }

  /// A decoded image with its encoded form, as it is stored.
  func encoded(_ image: DecodedImage) async throws(ImageError) -> Provided {
    if let data = image.animation?.data { return Provided(data: data, image: image) }
    do {
      let data = try await files.run { [encoders = configuration.encoders] _ in
        try StoragePolicy.automatic.encoded(image, by: encoders)
      }
      return Provided(data: data ?? Data(), image: image)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: .unnamedImage)
    }
  }

  @inline(never)
  func localImage(
    _ data: Data, of request: ImageRequest, url: URL?, origin: ImageOrigin, _ watch: RemovalWatch
  ) throws(ImageError) -> EncodedImage {
    try localImage(Provided(data: data), of: request, url: url, origin: origin, watch)
  }

  @inline(never)
  private func localImage(
    _ provided: Provided, of request: ImageRequest, url: URL?, origin: ImageOrigin, _ watch: RemovalWatch,
    storeKey: InFlightResponses.Key? = nil, trace: LoadTrace = LoadTrace()
  ) throws(ImageError) -> EncodedImage {
    let data = provided.data
    guard !data.isEmpty else { throw .emptyResponse(url ?? .unnamedImage) }
    guard data.count <= configuration.limits.encodedByteCount else {
      throw .responseTooLarge(byteLimit: configuration.limits.encodedByteCount, url: url ?? .unnamedImage)
    }
    let now = configuration.time.now()
    let metadata = EntryMetadata(url: url, requestDate: now, responseDate: now)
    let storable = storeKey.map {
      StorableResponse(metadata: metadata, key: $0.key, requestHeaders: [:], knownVariants: [])
    }
    return EncodedImage(
      data: data, metadata: metadata,
      info: try configuration.inspector(of: url, decoder: request.optionsBox?.options.decoder).info(of: data),
      origin: origin, storable: storable, decoded: provided.image, trace: trace, watch: watch
    ) { [inFlight] in if let storeKey { inFlight.removeReleased(storeKey) } }
  }
}
