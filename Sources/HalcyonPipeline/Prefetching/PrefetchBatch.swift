import HalcyonSupport

/// The requests of one prefetch, and what has become of them so far.
final class PrefetchBatch: Sendable {
  /// How one request ended.
  enum Outcome: Sendable {
    case skipped
    case completed
    case failed(ImageError)
  }

  private struct State {
    var pending: [PrefetchKey: ImageRequest]
    var result = PrefetchResult()
  }

  /// The keys in the order of the requests, each once.
  let keys: [PrefetchKey]
  let feed: ProgressBroadcaster<PrefetchProgress, PrefetchResult>
  private let state: Lock<State>

  init(_ requests: [ImageRequest], destination: ImagePrefetcher.Destination) {
    var pending: [PrefetchKey: ImageRequest] = [:]
    keys = requests.compactMap { request in
      let key = PrefetchKey(request, destination: destination)
      return pending.updateValue(request, forKey: key) == nil ? key : nil
    }
    feed = ProgressBroadcaster(PrefetchProgress(totalCount: keys.count))
    state = Lock(State(pending: pending))
    if keys.isEmpty { feed.finish(PrefetchResult()) }
  }

  /// The request of a key that has not ended.
  func pendingRequest(for key: PrefetchKey) -> ImageRequest? { state.withLock { $0.pending[key] } }

  /// Notes the end of one request; the first end counts.
  func end(_ key: PrefetchKey, _ outcome: Outcome) {
    let result: PrefetchResult? = state.withLock { state in
      guard let request = state.pending.removeValue(forKey: key) else { return nil }
      state.result.add(request, outcome)
      feed.update { $0.count(outcome) }
      return state.pending.isEmpty ? state.result : nil
    }
    if let result { feed.finish(result) }
  }

  /// Ends all requests that have not ended.
  func cancel() {
    for key in keys { end(key, .failed(.cancelled)) }
  }
}

/// Requests with equal keys are one request.
struct PrefetchKey: Hashable, Sendable {
  private let key: CacheKey
  private let terms: OptionsKey<LoadKey>

  init(_ request: ImageRequest, destination: ImagePrefetcher.Destination) {
    let keys = RequestKeys(request)
    key = destination == .memory ? keys.image : keys.fetch
    terms = LoadKey.key(request)
  }
}

extension PrefetchResult {
  fileprivate mutating func add(_ request: ImageRequest, _ outcome: PrefetchBatch.Outcome) {
    switch outcome {
    case .skipped: skipped.append(request)
    case .completed: completed.append(request)
    case .failed(let error): failed.append(Failure(request: request, error: error))
    }
  }
}

extension PrefetchProgress {
  fileprivate mutating func count(_ outcome: PrefetchBatch.Outcome) {
    switch outcome {
    case .skipped: skippedCount += 1
    case .completed: completedCount += 1
    case .failed: failedCount += 1
    }
  }
}
