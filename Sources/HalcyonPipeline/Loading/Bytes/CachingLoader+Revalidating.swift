import HalcyonCache
@_spi(Programs) import HalcyonImaging
import HalcyonSupport

/// Stale entries that are served, and revalidated in the background.
extension CachingLoader {
  /// Revalidates a stale entry in the background.
  func revalidate(_ lookup: CacheLookup, _ load: Load, at location: ResolvedSource.Location) {
    revalidations.start(load.inFlightKey, trackedBy: load.cache.writes) { [self] in
      await updateStore(lookup, load.shared(by: LoadSubscription(priority: .low)), at: location)
    }
  }

  private func updateStore(_ lookup: CacheLookup, _ load: Load, at location: ResolvedSource.Location) async {
    guard let cache = configuration.httpCache(for: load.request),
      let request = try? httpRequest(load, at: location, after: lookup)
    else { return }
    guard let response = try? await http.load(request) else { return }
    guard let (data, info) = response.image else {
      let isStored = response.isStorable && !load.watch.isRemovedOrReplaced
      if await cache.renewed(lookup, by: response.metadata, isStored: isStored) == nil {
        await updateStore(lookup.unconditional, load, at: location)
      }
      return
    }
    // A load decides on what may be cut, since it decodes.
    if info.format.lacksEnd(data) { return }
    guard var storable = await storable(response, request) else { return }
    let same = lookup.stored.flatMap { $0.body == data ? $0.metadata : nil }
    let mark = same?.original ?? OriginalMark(of: data, received: response.metadata.responseDate)
    storable.metadata.original = mark
    // Completed even if the pipeline is invalidated meanwhile.
    await load.cache.writes.start(byteCount: data.count) { [configuration, storable] in
      if load.watch.isRemovedOrReplaced { return }
      if same == nil { await load.removeMade(from: configuration.store(for: load.request)) }
      load.cache.originals.record(mark, for: load.key)
      try? await cache.store(storable, body: data)
    }.value
  }
}

/// Revalidations of stale entries in the background, one at a time for each key and cache.
///
/// Only ``ImageCache/flush()`` waits for them.
final class BackgroundRevalidations: Sendable {
  typealias Key = InFlightResponses.Key

  private struct State {
    var tasks: [Key: Task<Void, Never>] = [:]
    var isInvalidated = false
  }

  private let state = Lock(State())

  /// Starts a revalidation, unless one of the same key is running.
  func start(_ key: Key, trackedBy writes: BackgroundWrites, _ revalidate: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isInvalidated, state.tasks[key] == nil else { return }
      state.tasks[key] = writes.track { [self] in
        await revalidate()
        end(key)
      }
    }
  }

  /// Cancels all revalidations, and starts no more.
  func invalidate() {
    let tasks = state.withLock { state in
      state.isInvalidated = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }

  private func end(_ key: Key) {
    let ended = state.withLock { $0.tasks.removeValue(forKey: key) }
    withExtendedLifetime(ended) {}
  }
}
