/// The progress of a prefetch.
public struct PrefetchProgress: Hashable, Sendable {
  /// The number of different images.
  public let totalCount: Int
  /// The number of images that were already cached.
  public internal(set) var skippedCount = 0
  /// The number of images that were loaded.
  public internal(set) var completedCount = 0
  /// The number of images that failed or were stopped.
  public internal(set) var failedCount = 0

  init(totalCount: Int) { self.totalCount = totalCount }

  /// The number of images that have ended: skipped, completed or failed.
  public var endedCount: Int { skippedCount + completedCount + failedCount }

  /// The fraction of images that have ended, from 0 to 1; 1 if there are none.
  public var fraction: Double { totalCount == 0 ? 1 : Double(endedCount) / Double(totalCount) }
}
