/// What became of the requests of one call of `ImagePrefetcher.start`, each list in the order of the ends.
///
/// Requests for the same image are one.
public struct PrefetchResult: Sendable {
  /// A request that gave nothing, and why.
  public struct Failure: Sendable {
    /// The request.
    public let request: ImageRequest
    /// Why it gave nothing; ``ImageError/cancelled`` for what was stopped, begun or not.
    public let error: ImageError
  }

  /// Requests whose images were there already.
  public internal(set) var skipped: [ImageRequest] = []
  /// Requests whose images were loaded.
  public internal(set) var completed: [ImageRequest] = []
  /// Requests that failed or were stopped.
  public internal(set) var failed: [Failure] = []
}

/// How far a prefetch has come.
public struct PrefetchProgress: Hashable, Sendable {
  /// Different images in all.
  public let totalCount: Int
  /// Images that were there already.
  public internal(set) var skippedCount = 0
  /// Images that were loaded.
  public internal(set) var completedCount = 0
  /// Images that failed or were stopped.
  public internal(set) var failedCount = 0

  init(totalCount: Int) { self.totalCount = totalCount }

  /// Images that have ended, in one way or another.
  public var endedCount: Int { skippedCount + completedCount + failedCount }

  /// From 0 to 1; 1 where there is nothing to do.
  public var fraction: Double { totalCount == 0 ? 1 : Double(endedCount) / Double(totalCount) }
}
