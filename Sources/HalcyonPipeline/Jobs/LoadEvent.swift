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
  /// The store has the image, but the server is contacted before it may be used.
  case storedStale
}
