import HalcyonSupport

/// The requests of one prefetch, and their results so far.
final class PrefetchBatch: Sendable {
  /// The outcome of one request.
  typealias Outcome = Result<ImageLoader.Prefetched, ImageError>

  private struct State {
    var pending: [PrefetchKey: ImageRequest]
    var result = PrefetchResult()
  }

  /// The keys in the order of the requests, each once.
  let keys: [PrefetchKey]
  let broadcaster: ProgressBroadcaster<BatchProgress, PrefetchResult>
  private let state: Lock<State>

  init(_ requests: [ImageRequest], destination: (ImageRequest) -> ImagePrefetcher.Destination) {
    var pending: [PrefetchKey: ImageRequest] = [:]
    keys = requests.compactMap { request in
      let key = PrefetchKey(request, destination: destination(request))
      return pending.updateValue(request, forKey: key) == nil ? key : nil
    }
    broadcaster = ProgressBroadcaster(BatchProgress(totalCount: keys.count))
    state = Lock(State(pending: pending))
    if keys.isEmpty { broadcaster.finish(PrefetchResult()) }
  }

  /// The request for `key`, or `nil` if it has ended.
  func pendingRequest(for key: PrefetchKey) -> ImageRequest? { state.withLock { $0.pending[key] } }

  /// Records the outcome of a request. Only the first outcome counts.
  func end(_ key: PrefetchKey, _ outcome: Outcome) {
    let result: PrefetchResult? = state.withLock { state in
      guard let request = state.pending.removeValue(forKey: key) else { return nil }
      broadcaster.update { progress in
        progress.advance(BatchItemProgress(), to: BatchItemProgress(millionths: BatchItemProgress.end))
        if case .failure = outcome { progress.failedCount += 1 } else { progress.completedCount += 1 }
      }
      switch outcome {
      case .success(.skipped): state.result.skipped.append(request)
      case .success(.loaded): state.result.completed.append(request)
      case .failure(let error): state.result.failed.append((request, error))
      }
      return state.pending.isEmpty ? state.result : nil
    }
    if let result { broadcaster.finish(result) }
  }

  /// Ends the remaining requests with ``ImageError/cancelled``.
  func cancel() {
    for key in keys { end(key, .failure(.cancelled)) }
  }
}

/// Identifies the work of a request: requests with equal keys are loaded once.
struct PrefetchKey: Hashable, Sendable {
  private let key: CacheKey
  private let options: OptionsKey<LoadKey>
  private let store: StoreOptions

  init(_ request: ImageRequest, destination: ImagePrefetcher.Destination) {
    let keys = RequestKeys(request, file: .any)
    key =
      switch destination {
      case .memory: keys.image
      case .store: keys.variant(request.resolved.storage) ?? keys.fetch
      }
    options = OptionsKey(request)
    store = request.storeOptions
  }
}
