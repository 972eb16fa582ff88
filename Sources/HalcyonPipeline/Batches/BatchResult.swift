/// The result of one request of a batch.
public struct BatchResult: Sendable {
  /// The position of the request in the list of requests.
  public let index: Int
  /// The response, or why there is none.
  public let result: Result<ImageResponse, ImageError>
  /// The progress of all images together when this one ended.
  public let progress: BatchProgress
}
