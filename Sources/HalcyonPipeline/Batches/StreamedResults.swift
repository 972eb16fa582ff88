/// The results of a batch, one by one in the order in which the loads end.
///
/// Loading begins with the first element, and goes on only as elements are taken: besides the loads in flight, at most as
/// many results are held as loads may be concurrent. Cancelling the task that iterates, or ending the loop early, cancels
/// the loads in flight; the sequence then ends. Each iteration loads the images anew.
///
/// ```swift
/// for await item in pipeline.streamedResults(for: requests) {
///   if case .success(let response) = item.result { try await response.image.write(to: files[item.index]) }
/// }
/// ```
public struct StreamedResults: AsyncSequence, Sendable {
  /// The result of one request.
  public struct Element: Sendable {
    /// The position of the request in ``StreamedResults/requests``.
    public let index: Int
    /// The response, or why there is none.
    public let result: Result<ImageResponse, ImageError>
    /// The progress of all images together when this one ended.
    public let progress: BatchProgress
  }

  /// A sequence of results does not throw: failures are elements.
  public typealias Failure = Never

  /// The requests, in the order in which they are started.
  public let requests: [ImageRequest]

  let pipeline: ImagePipeline
  let concurrencyLimit: Int

  /// Loads the images of one iteration.
  public struct Iterator: AsyncIteratorProtocol {
    let window: BatchWindow

    /// The next result; `nil` after the last one, and once the calling task has been cancelled.
    public mutating func next() async -> Element? { await window.next() }

    /// The next result; `nil` after the last one, and once the calling task has been cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await window.next() }
  }

  /// Begins an iteration; nothing is loaded before its first element is requested.
  public func makeAsyncIterator() -> Iterator {
    let run = BatchRun(
      requests: requests, pipeline: pipeline, tracker: BatchProgressTracker(count: requests.count),
      cancelsOnFailure: false)
    return Iterator(window: BatchWindow(run, limit: concurrencyLimit))
  }
}
