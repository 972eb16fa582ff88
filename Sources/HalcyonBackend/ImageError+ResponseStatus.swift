import HalcyonHTTP
import HalcyonImaging
public import HalcyonPipeline

extension ImageError {
  /// The status with which an HTTP server responds, when the image of a request fails.
  ///
  /// | status | error |
  /// | --- | --- |
  /// | 400 | the URL or the size is not valid |
  /// | 403 | the address policy, a redirect handler or a modifier rejects the source |
  /// | 404 | the source responded with 410, or its file cannot be read |
  /// | 400 to 498 | the source responded with this status, except for 407 |
  /// | 422 | the source is too large, no image, damaged, or cannot be encoded |
  /// | 429 | too many loads wait |
  /// | 499 | the load was cancelled, usually since the client has left |
  /// | 500 | anything else, such as an error of your own code |
  /// | 502 | the source responded with another status, or the connection to it failed |
  /// | 503 | the timeout of the request has passed, or the pipeline has ended |
  /// | 504 | the source did not respond in time |
  public var responseStatus: Int {
    switch self {
    case .invalidURL, .unsupportedScheme, .invalidTargetSize, .invalidDataURL: 400
    case .transport(.addressRejected, _), .redirectRejected, .requestRejected: 403
    case .httpStatus(410, _), .unreadableFile: 404
    // Not the status of a proxy between this process and the source, nor one that servers log for clients that have left.
    case .httpStatus(let status, _), .retryLater(_, let status, _):
      (400...498).contains(status) && status != 407 ? status : 502
    case .transport(.connectTimedOut, _), .transport(.idleTimedOut, _), .transport(.totalTimedOut, _): 504
    case .transport(.cancelled, _), .cancelled: 499
    case .transport, .tooManyRedirects, .emptyResponse, .responseRejected: 502
    case .responseTooLarge, .notAnImage, .decoding, .processingFailed: 422
    case .failed(let cause, _): cause is ImageEncodingError ? 422 : 500
    case .tooManyWaiting: 429
    case .timedOut, .pipelineInvalidated: 503
    case .allSourcesFailed(let errors): errors.last?.responseStatus ?? 500
    default: 500
    }
  }
}
