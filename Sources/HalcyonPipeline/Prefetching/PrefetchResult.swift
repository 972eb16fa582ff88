/// The results of the requests of one call of `ImagePrefetcher.start`, each list in the order in which they ended.
///
/// Several requests for the same image count as one.
public struct PrefetchResult: Sendable {
  /// A failed request and its error.
  public struct Failure: Sendable {
    /// The request.
    public let request: ImageRequest
    /// The error; ``ImageError/cancelled`` if the request was stopped, started or not.
    public let error: ImageError
  }

  /// Requests whose images were already cached.
  public internal(set) var skipped: [ImageRequest] = []
  /// Requests whose images were loaded.
  public internal(set) var completed: [ImageRequest] = []
  /// Requests that failed or were stopped.
  public internal(set) var failed: [Failure] = []
}
