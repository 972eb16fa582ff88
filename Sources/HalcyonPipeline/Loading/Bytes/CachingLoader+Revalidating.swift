import HalcyonCache
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
      let request = try? await httpRequest(load, at: location, after: lookup)
    else { return }
    switch try? await http.load(request) {
    case .notModified(let head, let isStorable)?:
      let isStored = isStorable && !load.watch.isRemovedFromStore && !load.watch.isReplaced
      if await cache.renewed(lookup, by: head, isStored: isStored) == nil {
        await updateStore(lookup.unconditional, load, at: location)
      }
    case .response(let response)?:
      if var storable = await storable(response, request), !load.watch.isRemovedFromStore, !load.watch.isReplaced {
        let earlier = lookup.stored.flatMap { $0.body == response.data ? $0.metadata.originalMark : nil }
        let mark = earlier ?? OriginalMark(of: response.data, received: response.metadata.responseDate)
        storable.metadata.original = mark
        // Completed even if the pipeline is invalidated meanwhile.
        _ = await Task { [configuration, storable] in
          if earlier == nil { await load.removeMade(from: configuration.store(for: load.request)) }
          load.cache.originals.record(mark, for: load.key)
          try await cache.store(storable, body: response.data)
        }.result
      }
    case nil: break
    }
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
