import Foundation
import HalcyonImaging

/// The first bytes of an image that is being transferred.
struct ReceivedBytes: Sendable {
  let data: Data
  let info: ImageInfo
  let head: ResponseHead
}

/// An event of a load, sent to its subscribers.
enum LoadEvent: Sendable {
  case progress(LoadProgress)
  /// The header of the image was read.
  case info(ImageInfo)
  /// The bytes received so far, for previews.
  case partial(ReceivedBytes)
  /// A step for the event handler; sent only if there is one.
  case step(PipelineEvent.Kind)
  /// An image to show until the final one has been loaded.
  case preview(DecodedImage)
  /// The server is contacted although the store has the image. `bytes` retains it for loads that may use it.
  case storedStale(bytes: any AnyObject & Sendable)
  /// The stored image, which is being revalidated, as it is delivered.
  case stale(ImageResponse)
  /// The transfer has begun to wait for a connection, or got one.
  case queue(QueueState)
}

/// Whether a transfer waits for a connection.
struct QueueState: Sendable {
  /// The identifier of its permit. Later transfers of the load have greater ones.
  let permit: UInt64
  let isWaiting: Bool

  /// Whether this is a later state of the load than another: reports from several threads may arrive out of order.
  func isLater(than other: QueueState?) -> Bool {
    guard let other else { return true }
    return permit != other.permit ? permit > other.permit : other.isWaiting && !isWaiting
  }
}
