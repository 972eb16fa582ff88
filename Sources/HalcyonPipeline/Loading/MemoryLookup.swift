package import HalcyonCache
import HalcyonHTTP
package import HalcyonImaging

/// The outcome of the look-up in memory, which each load does once, before anything suspends.
package enum MemoryLookup: Sendable {
  /// The image can be returned.
  case hit(DecodedImage)
  /// The image must be revalidated first; its pixels can be used again if its bytes have not changed.
  case stale(DecodedImage)
  case miss(CacheMiss)

  package var isHit: Bool { if case .hit = self { true } else { false } }

  package var staleImage: DecodedImage? {
    if case .stale(let image) = self { image } else { nil }
  }

  /// The image in memory, fresh or stale.
  var image: DecodedImage? {
    switch self {
    case .hit(let image), .stale(let image): image
    case .miss: nil
    }
  }

  /// This outcome as an event of a load.
  func event(for request: ImageRequest) -> PipelineEvent.Kind {
    switch self {
    case .hit: .memoryHit
    case .stale: .memoryMiss(request.resolved.cachePolicy.contactsServerFirst ? .notRead : .stale)
    case .miss(let miss): .memoryMiss(miss)
    }
  }
}

/// Looking into memory.
extension ImageLoader {
  /// The image in memory, if the request may read it.
  func lookUpMemory(_ request: ImageRequest, key: CacheKey) -> MemoryLookup {
    guard request.resolved.memoryAccess.reads, !isInvalidated else { return .miss(.notRead) }
    switch read(request, key) {
    case .miss(let miss):
      guard request.resolved.animation == .firstFrame, let image = animatedImage(request) else { return .miss(miss) }
      return checked(image.still, request)
    case .hit(let image):
      return checked(image, request)
    }
  }

  /// The image in memory. A hit is a use of its stored entries as well.
  @inline(__always)
  private func read(_ request: ImageRequest, _ key: CacheKey) -> CacheResult<DecodedImage> {
    var isUseDue = false
    let result = configuration.cache(for: request).lookUpInMemory(key, isUseDue: &isUseDue)
    if isUseDue { recordUse(request) }
    return result
  }

  @inline(never)
  private func recordUse(_ request: ImageRequest) {
    guard request.resolved.storeAccess.reads else { return }
    let keys = RequestKeys(request, file: .remembered)
    let original: CacheKey? =
      switch try? ResolvedSource(request.source) {
      case .web, .provider, .decoded: keys.fetch
      case .file, .inline, .data, nil: nil
      }
    let stored = [original, keys.variant(request.resolved.storage)].compactMap(\.self)
    configuration.cache(for: request).recordUse(of: stored)
  }

  private func checked(_ image: DecodedImage, _ request: ImageRequest) -> MemoryLookup {
    guard isUsable(image, request) else { return .stale(image) }
    if request.optionsBox != nil { configuration.applyStoreOptions(toHitOf: request) }
    return .hit(image)
  }

  /// The animation whose first frame is requested, without counting a miss.
  private func animatedImage(_ request: ImageRequest) -> DecodedImage? {
    var animated = request
    animated.animation = nil
    return imageInMemory(animated, RequestKeys(animated).image)
  }

  /// Whether an image in memory need not be revalidated for a request.
  private func isUsable(_ image: DecodedImage, _ request: ImageRequest) -> Bool {
    let freshness = request.resolved.cachePolicy
    return !freshness.contactsServerFirst && (!freshness.followsHTTP || isFresh(image))
  }

  func isFresh(_ image: DecodedImage) -> Bool {
    image.facts.freshness.map { configuration.time.uptime() < $0.end } ?? true
  }

  /// The image in memory, fresh or stale, without counting a miss.
  func imageInMemory(_ request: ImageRequest, _ key: CacheKey) -> DecodedImage? {
    guard request.resolved.memoryAccess.reads else { return nil }
    return configuration.cache(for: request).memory.contains(key) ? read(request, key).value : nil
  }

  /// The image in memory, without counting a miss: the one before a processor, or one that an equal job has put there
  /// between the look-up of a load and the start of its job.
  func lookUpAgain(_ request: ImageRequest, _ key: CacheKey) -> MemoryLookup? {
    imageInMemory(request, key).map { checked($0, request) }
  }
}
