import HalcyonCache
import HalcyonSupport

/// A load in flight: what is loaded, for whom, and what is known so far.
///
/// Each caller has one. Each job that callers share has one of its own, with the subscription of all of them.
final class Load: Sendable {
  let request: ImageRequest
  let keys: RequestKeys
  /// The cache of the request.
  let cache: ImageCache
  /// Passes priorities down and events up.
  let subscription: LoadSubscription
  /// The outcome of the look-up in memory; `nil` for loads that do none, such as loads of encoded bytes.
  let memory: MemoryLookup?
  /// Detects that the result is removed during the load.
  let watch: RemovalWatch
  /// Whether there is an event handler.
  private let isReported: Bool
  private let recorded = Lock(Recorded())

  private struct Recorded {
    var trace = LoadTrace()
    /// Retained until the end of the load, for other loads that may use it.
    var stored: EncodedImage?
  }

  /// - Parameters:
  ///   - memory: The outcome of the look-up in memory, if there was one.
  ///   - watch: The watch of the result; `nil` for a new one of the image.
  ///   - isReported: Whether there is an event handler.
  init(
    _ request: ImageRequest, _ keys: RequestKeys, in cache: ImageCache, for subscription: LoadSubscription,
    after memory: MemoryLookup?, _ watch: RemovalWatch? = nil, isReported: Bool
  ) {
    self.request = request
    self.keys = keys
    self.cache = cache
    self.subscription = subscription
    self.memory = memory
    self.watch = watch ?? RemovalWatch(keys.image, in: cache)
    self.isReported = isReported
  }

  /// The options of the request with their defaults.
  var resolved: ResolvedOptions { request.resolved }

  /// Whether the server is asked even if the load failed a moment ago.
  var ignoresRememberedFailures: Bool {
    resolved.cachePolicy.contactsServerFirst || request.optionsBox?.content != nil
  }

  /// The key of the result.
  var key: CacheKey { watch.key }

  /// The key of the result, which is encoded bytes, while it is in flight.
  var inFlightKey: InFlightResponses.Key {
    InFlightResponses.Key(
      key: key, cache: ObjectIdentifier(cache), removals: watch.removals.store,
      decoder: request.optionsBox?.options.decoderHook?.identity)
  }

  /// The steps so far.
  var trace: LoadTrace { recorded.withLock(\.trace) }

  /// Adds to the trace.
  func record(_ change: (inout LoadTrace) -> Void) { recorded.withLock { change(&$0.trace) } }

  /// Reports that the server is contacted although the store has an image.
  func reportStored(_ image: EncodedImage) {
    recorded.withLock { $0.stored = image }
    subscription.report(.storedStale(bytes: image))
  }

  /// Reports a step to the event handler, if there is one.
  @inline(__always)
  func report(_ step: @autoclosure () -> PipelineEvent.Kind) {
    if isReported { subscription.report(.step(step())) }
  }

  /// This load as part of a job, for all callers of the job.
  ///
  /// - Parameter watch: The watch of the result, if its key is not the key of the image.
  func shared(by subscription: LoadSubscription, for watch: RemovalWatch? = nil) -> Load {
    Load(request, keys, in: cache, for: subscription, after: memory, watch ?? self.watch, isReported: isReported)
  }

  /// This load with other options, which do not change its keys.
  func changed(_ change: (inout ImageRequest) -> Void) -> Load {
    var request = request
    change(&request)
    return Load(request, keys, in: cache, for: subscription, after: memory, watch, isReported: isReported)
  }

  /// This load after a look-up in memory.
  func after(_ memory: MemoryLookup) -> Load {
    Load(request, keys, in: cache, for: subscription, after: memory, watch, isReported: isReported)
  }

  /// The load of another source, before the look-up in memory.
  func from(_ source: ImageSource) -> Load {
    let request = request.from(source)
    return Load(request, RequestKeys(request), in: cache, for: subscription, after: nil, isReported: isReported)
  }
}

extension ImageRequest {
  /// A subscription of a caller that follows no events.
  var newSubscription: LoadSubscription { LoadSubscription(priority: resolved.priority) }
}

extension WorkerPool {
  /// Runs `work` with the priority of a load, which may change while the work waits.
  func run<Value: Sendable>(
    for load: Load, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
  ) async throws -> Value {
    let (id, subscription) = (newWork(), load.subscription)
    let observer = subscription.observePriority { self.setPriority(subscription.priority, of: id) }
    defer { subscription.stopObserving(observer) }
    return try await run(id, priority: { subscription.priority }, work)
  }
}

/// Detects that a key is removed from a cache during a load, which then delivers its image but does not store it there.
struct RemovalWatch: Sendable {
  /// The latest removals: loads begun before a removal never join loads begun after it.
  struct Removals: Hashable {
    var (memory, store): (UInt64, UInt64)
    /// The last replacement of the original by a newer one.
    var replacements: UInt64

    /// Those that apply to bytes, which are not in memory.
    var ofStore: Removals { Removals(memory: 0, store: store, replacements: replacements) }
  }

  let key: CacheKey
  private let cache: ImageCache
  let removals: Removals

  init(_ key: CacheKey, in cache: ImageCache) {
    self.key = key
    self.cache = cache
    removals = cache.lastRemovals(of: key)
  }

  var isRemovedFromMemory: Bool { cache.lastRemovals(of: key).memory != removals.memory }
  var isRemovedFromStore: Bool { cache.lastRemovals(of: key).store != removals.store }
  /// Whether the key was removed from the store, or a load has received a newer original.
  var isRemovedOrReplaced: Bool { isRemovedFromStore || isReplaced }
  /// Whether a load has received a newer original since.
  var isReplaced: Bool { lastReplacement != removals.replacements }
  var lastReplacement: UInt64 { cache.originals.replacements.last(of: key) }
}

extension ImageCache {
  fileprivate func lastRemovals(of key: CacheKey) -> RemovalWatch.Removals {
    RemovalWatch.Removals(
      memory: removalHistories.memory.reduce(0) { $0 + $1.last(of: key) },
      store: removalHistories.store.reduce(0) { $0 + $1.last(of: key) },
      replacements: originals.replacements.last(of: key))
  }
}
