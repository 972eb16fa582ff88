import HalcyonSupport

/// Adds up what the images of a set tell.
final class BatchProgressTracker: Sendable {
  /// How a set ended.
  struct Outcome: Sendable {
    var results: [Result<ImageResponse, ImageError>]
    /// The first error in time, but those of images that were cancelled because of it.
    var firstError: ImageError?
  }

  let feed: ProgressBroadcaster<BatchProgress, Outcome>
  private let parts: Lock<[BatchItemProgress]>

  init(count: Int) {
    feed = ProgressBroadcaster(BatchProgress(totalCount: count))
    parts = Lock(Array(repeating: BatchItemProgress(), count: count))
  }

  func note(_ progress: LoadProgress, of index: Int) {
    change(index) { part in
      part.millionths = Int(progress.fraction * 1_000_000)
      part.receivedByteCount = progress.receivedByteCount
    }
  }

  func end(_ index: Int, _ result: Result<ImageResponse, ImageError>) {
    change(index) { $0.millionths = 1_000_000 }
    feed.update { progress in
      switch result {
      case .success: progress.completedCount += 1
      case .failure: progress.failedCount += 1
      }
    }
  }

  private func change(_ index: Int, _ change: (inout BatchItemProgress) -> Void) {
    let (old, new) = parts.withLock { parts in
      let old = parts[index]
      change(&parts[index])
      return (old, parts[index])
    }
    feed.update { $0.advance(old, to: new) }
  }
}
