import HalcyonSupport
public import HalcyonImaging

/// A handle to a batch of images that are loaded together.
///
/// All members may be used from any thread. Loading continues when the handle is released.
///
/// ```swift
/// let batch = pipeline.batch(for: requests)
/// for await progress in batch.progress { print(progress) }
/// let images = try await batch.images
/// ```
public final class ImageBatch: Sendable {
  private let tracker: BatchProgressTracker
  private let work: Task<Void, Never>
  /// The number of calls that wait for the outcome.
  let waiterCount = Lock(0)

  init(_ requests: [ImageRequest], pipeline: ImagePipeline, concurrencyLimit: Int, cancelsOnFailure: Bool) {
    let tracker = BatchProgressTracker(count: requests.count)
    self.tracker = tracker
    let run = BatchRun(requests: requests, pipeline: pipeline, tracker: tracker)
    work = Task {
      tracker.broadcaster.finish(
        await run.outcome(concurrencyLimit: max(1, concurrencyLimit), cancelsOnFailure: cancelsOnFailure))
    }
  }

  /// The current progress of all images together, then every change; a slow reader gets only the newest.
  ///
  /// Every call returns a new stream, which ends with the last image.
  public var progress: AsyncStream<BatchProgress> { tracker.broadcaster.stream() }

  /// A result for each request, in the order of the requests; waits until all have ended.
  ///
  /// Cancelling the calling task ends the remaining requests with ``ImageError/cancelled``, unless another call waits for
  /// ``results`` or ``images``.
  public var results: [Result<ImageResponse, ImageError>] {
    get async { await outcome.results }
  }

  /// All images, in the order of the requests; waits until all have ended.
  ///
  /// Cancelling the calling task has the same effect as for ``results``.
  ///
  /// - Throws: The error of the image that failed first.
  public var images: [DecodedImage] {
    get async throws(ImageError) { try await outcome.images() }
  }

  private var outcome: BatchOutcome {
    get async {
      waiterCount.withLock { $0 += 1 }
      defer { waiterCount.withLock { $0 -= 1 } }
      return await withTaskCancellationHandler {
        await tracker.broadcaster.outcome
      } onCancel: {
        if waiterCount.withLock({ $0 == 1 }) { cancel() }
      }
    }
  }

  /// Ends the remaining requests with ``ImageError/cancelled``. Idempotent.
  ///
  /// Work shared with other requests continues for them.
  public func cancel() { work.cancel() }
}
