import HalcyonSupport

/// The images of one call of `ImagePrefetcher.start` on their way.
///
/// All members may be used from any thread. The handle may be dropped; while it is held, so is the prefetcher.
public final class PrefetchTask: Sendable {
  private let prefetcher: ImagePrefetcher
  private let batch: PrefetchBatch

  init(prefetcher: ImagePrefetcher, batch: PrefetchBatch) {
    self.prefetcher = prefetcher
    self.batch = batch
  }

  /// How far the images have come: where they are now, then every change, the newest where the reader falls behind.
  ///
  /// Every call gives a stream of its own, which ends with the last image.
  public var progress: AsyncStream<PrefetchProgress> { batch.feed.stream() }

  /// What became of the images; waits until all have ended, which stopping makes them.
  ///
  /// Cancelling the caller does not end the wait.
  public var result: PrefetchResult {
    get async {
      defer { withExtendedLifetime(self) {} }
      return await batch.feed.outcome
    }
  }

  /// Stops these images, begun or not: they are in ``PrefetchResult/failed`` when this returns.
  ///
  /// What another call of the prefetcher's, or anybody else, waits for goes on for them.
  public func stop() { prefetcher.stop(batch) }
}
