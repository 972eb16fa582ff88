import Foundation

/// Decoded images in memory, the least recently used evicted first.
///
/// Every operation takes constant time, save a change of the configuration, and is safe from any thread.
public final class MemoryCache: MemoryStore {
  private struct Entry {
    var image: DecodedImage
    var expiration: CacheExpiration
    var lastUse: Duration
  }

  private struct State {
    var configuration: MemoryCacheConfiguration
    var entries = LRUMap<CacheKey, Entry>()
  }

  private let state: Locked<State>
  private let time: any TimeSource

  /// Creates an empty cache.
  public init(configuration: MemoryCacheConfiguration = MemoryCacheConfiguration(), time: any TimeSource = SystemTime())
  {
    self.time = time
    state = Locked(State(configuration: configuration))
  }

  /// The limits in force. A lower limit evicts before the setter returns.
  public var configuration: MemoryCacheConfiguration {
    get { state.withLock(\.configuration) }
    set {
      // What leaves is freed after the lock is.
      let evicted = state.withLock { state in
        state.configuration = newValue
        return state.entries.trim(costLimit: newValue.costLimit, countLimit: newValue.countLimit)
      }
      withExtendedLifetime(evicted) {}
    }
  }

  /// Bytes of pixels held.
  public var totalCost: Int { state.withLock(\.entries.totalCost) }

  /// Images held.
  public var count: Int { state.withLock(\.entries.count) }

  /// The image stored under a key, unless it is expired.
  public func image(for key: CacheKey) -> DecodedImage? {
    let uptime = time.uptime()
    let (image, expired): (DecodedImage?, Entry?) = state.withLock { state in
      guard let entry = state.entries.value(for: key) else { return (nil, nil) }
      guard isFresh(entry, at: uptime) else { return (nil, state.entries.remove(key)) }
      state.entries.update(key) { $0.lastUse = uptime }
      return (entry.image, nil)
    }
    withExtendedLifetime(expired) {}
    return image
  }

  /// Whether the key has an image that is not expired. Asking counts for nothing.
  public func contains(_ key: CacheKey) -> Bool {
    let uptime = time.uptime()
    return state.withLock { state in state.entries.peek(key).map { isFresh($0, at: uptime) } ?? false }
  }

  /// Keeps an image, unless it costs more than the whole limit.
  @discardableResult
  public func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration? = nil) -> Bool {
    let uptime = time.uptime()
    let cost = image.byteCount
    let (isKept, evicted): (Bool, [Entry]) = state.withLock { state in
      let configuration = state.configuration
      guard cost <= configuration.costLimit, configuration.countLimit > 0 else {
        return (false, state.entries.remove(key).map { [$0] } ?? [])
      }
      let entry = Entry(image: image, expiration: expiration ?? configuration.expiration, lastUse: uptime)
      // Room is made first, so that the limit holds at every moment.
      let replaced = state.entries.remove(key)
      let evicted = state.entries.trim(
        costLimit: configuration.costLimit - cost, countLimit: configuration.countLimit - 1)
      state.entries.insert(entry, for: key, cost: cost)
      return (true, evicted + (replaced.map { [$0] } ?? []))
    }
    withExtendedLifetime(evicted) {}
    return isKept
  }

  /// Forgets one image.
  public func removeImage(for key: CacheKey) {
    let removed = state.withLock { $0.entries.remove(key) }
    withExtendedLifetime(removed) {}
  }

  /// Forgets all images.
  public func removeAll() {
    let removed = state.withLock { $0.entries.removeAll() }
    withExtendedLifetime(removed) {}
  }

  private func isFresh(_ entry: Entry, at uptime: Duration) -> Bool {
    switch entry.expiration {
    case .never: true
    case .expired: false
    case .after(let duration): uptime - entry.lastUse < duration
    case .date(let date): time.now() < date
    }
  }
}
