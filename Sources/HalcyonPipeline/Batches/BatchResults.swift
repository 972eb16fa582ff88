/// The results of a batch, one by one in the order in which the loads end; see ``ImagePipeline/results(for:concurrencyLimit:)``.
public struct BatchResults: AsyncSequence, Sendable {
  private let requests: [ImageRequest]
  private let pipeline: ImagePipeline
  private let concurrencyLimit: Int

  init(requests: [ImageRequest], pipeline: ImagePipeline, concurrencyLimit: Int) {
    self.requests = requests
    self.pipeline = pipeline
    self.concurrencyLimit = concurrencyLimit
  }

  /// Begins an iteration; nothing is loaded before its first element is requested.
  public func makeAsyncIterator() -> AsyncIterator {
    let run = BatchRun(
      requests: requests, pipeline: pipeline, tracker: BatchProgressTracker(count: requests.count))
    return AsyncIterator(window: BatchWindow(run, limit: concurrencyLimit))
  }

  /// Loads the images of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let window: BatchWindow

    init(window: BatchWindow) { self.window = window }

    /// The next result; `nil` after the last one, and once the calling task has been cancelled.
    public mutating func next() async -> BatchResult? { await window.next() }
  }
}
