public import HalcyonPipeline

extension ImagePipeline {
  /// Waits until no view loads an image of this pipeline or shows one with a transition: before a snapshot of a screen.
  ///
  /// ```swift
  /// try await pipeline.waitForViews()
  /// ```
  ///
  /// Views of all toolkits count, but not those that wait for a size or for the time to be shown. The main actor stays busy
  /// meanwhile.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, so that the time limit of a test ends it.
  @MainActor
  public func waitForViews() async throws {
    while busyViewCount.withLock({ $0 > 0 }) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
