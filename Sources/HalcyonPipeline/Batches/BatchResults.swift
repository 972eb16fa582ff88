/// The result of one request of a batch.
public struct BatchResult: Sendable {
  /// The position of the request in the list of requests.
  public let index: Int
  /// The response, or why there is none.
  public let result: Result<ImageResponse, ImageError>
  /// The progress of all images together when this one ended.
  public let progress: BatchProgress
}

/// The results of a batch, one by one in the order in which the loads end.
struct BatchResults: AsyncSequence, Sendable {
  typealias Failure = Never

  /// The requests, in the order in which they are started.
  let requests: [ImageRequest]

  let pipeline: ImagePipeline
  let concurrencyLimit: Int

  /// Loads the images of one iteration.
  struct Iterator: AsyncIteratorProtocol {
    let window: BatchWindow

    /// The next result; `nil` after the last one, and once the calling task has been cancelled.
    mutating func next() async -> BatchResult? { await window.next() }

    /// The next result; `nil` after the last one, and once the calling task has been cancelled.
    mutating func next(isolation actor: isolated (any Actor)?) async -> BatchResult? { await window.next() }
  }

  /// Begins an iteration; nothing is loaded before its first element is requested.
  func makeAsyncIterator() -> Iterator {
    let run = BatchRun(
      requests: requests, pipeline: pipeline, tracker: BatchProgressTracker(count: requests.count),
      cancelsOnFailure: false)
    return Iterator(window: BatchWindow(run, limit: concurrencyLimit))
  }
}
