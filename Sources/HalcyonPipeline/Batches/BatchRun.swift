import HalcyonSupport

/// Loads the images of a batch.
struct BatchRun: Sendable {
  let requests: [ImageRequest]
  let pipeline: ImagePipeline
  let tracker: BatchProgressTracker

  /// Loads at most `concurrencyLimit` at once; the first failure cancels the others if requested.
  func outcome(concurrencyLimit: Int, cancelsOnFailure: Bool) async -> BatchOutcome {
    await withTaskGroup(of: BatchResult.self) { group in
      var outcome = BatchOutcome(
        results: Array(repeating: .failure(.cancelled), count: requests.count), firstError: nil)
      var waiting = requests.indices[...]
      for index in waiting.prefix(concurrencyLimit) { group.addTask { await load(index) } }
      waiting = waiting.dropFirst(concurrencyLimit)
      while let ended = await group.next() {
        outcome.results[ended.index] = ended.result
        if outcome.firstError == nil, case .failure(let error) = ended.result {
          outcome.firstError = error
          if cancelsOnFailure { group.cancelAll() }
        }
        if let index = waiting.popFirst() { group.addTask { await load(index) } }
      }
      return outcome
    }
  }

  func load(_ index: Int) async -> BatchResult {
    let result = await result(of: requests[index], index)
    return BatchResult(index: index, result: result, progress: tracker.end(index, result))
  }

  private func result(of request: ImageRequest, _ index: Int) async -> Result<ImageResponse, ImageError> {
    if Task.isCancelled { return .failure(.cancelled) }
    let request = pipeline.resolved(request)
    let subscription = LoadSubscription(priority: request.resolved.priority) { event in
      if case .progress(let progress) = event { tracker.update(progress, of: index) }
    }
    do throws(ImageError) {
      let loaded = try await pipeline.loaded(request, subscription)
      return .success(await request.delivered(ImageResponse(loaded, for: request)))
    } catch {
      return .failure(error)
    }
  }
}

/// Combines the progress of the images of a batch.
final class BatchProgressTracker: Sendable {
  let broadcaster: ProgressBroadcaster<BatchProgress, BatchOutcome>
  private let parts: Lock<[BatchItemProgress]>

  init(count: Int) {
    broadcaster = ProgressBroadcaster(BatchProgress(totalCount: count))
    parts = Lock(Array(repeating: BatchItemProgress(), count: count))
  }

  func update(_ progress: LoadProgress, of index: Int) {
    let change = parts.withLock { parts in
      let old = parts[index]
      // A late event from another thread does not change an image that has ended.
      if old.millionths == BatchItemProgress.end { return (old, old) }
      parts[index].millionths = min(
        Int((progress.fraction ?? 0) * Double(BatchItemProgress.end)), BatchItemProgress.end - 1)
      parts[index].receivedByteCount = progress.receivedByteCount
      return (old, parts[index])
    }
    broadcaster.update { $0.advance(change.0, to: change.1) }
  }

  /// Returns the progress after the end of an image.
  func end(_ index: Int, _ result: Result<ImageResponse, ImageError>) -> BatchProgress {
    let (old, new) = parts.withLock { parts in
      let old = parts[index]
      parts[index].millionths = BatchItemProgress.end
      return (old, parts[index])
    }
    var current = BatchProgress(totalCount: 0)
    // In one change, so that no observer gets the fraction without the count.
    broadcaster.update { progress in
      progress.advance(old, to: new)
      switch result {
      case .success: progress.completedCount += 1
      case .failure: progress.failedCount += 1
      }
      current = progress
    }
    return current
  }
}
