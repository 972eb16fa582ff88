/// The results of the requests of one call of `ImagePrefetcher.start`, each list in the order in which they ended.
///
/// Several requests for the same image count as one.
public struct PrefetchResult: Sendable {
  /// Requests whose images were already cached.
  public internal(set) var skipped: [ImageRequest] = []
  /// Requests whose images were loaded.
  public internal(set) var completed: [ImageRequest] = []
  /// Requests that failed, and those that were stopped, started or not: their error is ``ImageError/cancelled``.
  public internal(set) var failed: [(request: ImageRequest, error: ImageError)] = []
}
