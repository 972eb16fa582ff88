import HalcyonSupport
public import HalcyonImaging

/// Images that belong together, on their way.
///
/// All members may be used from any thread. The images go on being loaded when the handle is dropped.
public final class ImageBatch: Sendable {
  /// What is loaded, in this order.
  public let requests: [ImageRequest]

  private let tally: BatchProgressTracker
  private let work: Task<Void, Never>

  init(_ requests: [ImageRequest], pipeline: ImagePipeline, concurrencyLimit: Int, cancelsOnFailure: Bool) {
    precondition(concurrencyLimit > 0, "concurrencyLimit must be at least 1, got \(concurrencyLimit)")
    self.requests = requests
    let tally = BatchProgressTracker(count: requests.count)
    self.tally = tally
    let run = BatchRun(requests: requests, pipeline: pipeline, tally: tally, cancelsOnFailure: cancelsOnFailure)
    work = Task { tally.feed.finish(await run.outcome(concurrencyLimit: concurrencyLimit)) }
  }

  /// How far all images together have come: where they are now, then every change, the newest where the reader falls
  /// behind.
  ///
  /// Every call gives a stream of its own, which ends with the last image.
  public var progress: AsyncStream<BatchProgress> { tally.feed.stream() }

  /// One outcome for each request, in the order of the requests; waits until all have ended.
  ///
  /// Cancelling the caller does not end the wait; ``cancel()`` does.
  public var results: [Result<ImageResponse, ImageError>] {
    get async { await tally.feed.outcome.results }
  }

  /// All images, in the order of the requests, or the error of the one that failed first; waits until all have ended.
  ///
  /// Cancelling the caller does not end the wait; ``cancel()`` does.
  public var images: [DecodedImage] {
    get async throws(ImageError) {
      let outcome = await tally.feed.outcome
      if let error = outcome.firstError { throw error }
      var images: [DecodedImage] = []
      for result in outcome.results { images.append(try result.get().image) }
      return images
    }
  }

  /// Ends those that have not ended with ``ImageError/cancelled``, and starts no more. May be called any number of
  /// times; work shared with others goes on for them.
  public func cancel() { work.cancel() }
}
