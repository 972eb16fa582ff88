import HalcyonSupport

/// A handle to the images of one call of `ImagePrefetcher.start`.
///
/// All members may be used from any thread. Prefetching continues when the handle is released. The handle retains the
/// prefetcher.
public final class PrefetchTask: Sendable {
  private let prefetcher: ImagePrefetcher
  private let batch: PrefetchBatch

  init(prefetcher: ImagePrefetcher, batch: PrefetchBatch) {
    self.prefetcher = prefetcher
    self.batch = batch
  }

  /// The current progress, then every change; a slow reader gets only the newest.
  ///
  /// Every call returns a new stream, which ends with the last image.
  public var progress: AsyncStream<BatchProgress> { batch.broadcaster.stream() }

  /// The results; waits until all images have been loaded, have failed or were stopped.
  ///
  /// Cancelling the calling task does not end the wait.
  public var result: PrefetchResult {
    get async {
      defer { withExtendedLifetime(self) {} }
      return await batch.broadcaster.outcome
    }
  }

  /// Stops these images, started or not. When this returns, they are in ``PrefetchResult/failed``.
  ///
  /// Loads shared with other calls of the prefetcher, or with other requests, continue for them.
  public func stop() { prefetcher.stop(batch) }
}
