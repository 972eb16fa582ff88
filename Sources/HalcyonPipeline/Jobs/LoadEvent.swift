import HalcyonImaging
import Foundation

/// What a load tells those who wait for it, on its way.
enum LoadEvent: Sendable {
  case progress(LoadProgress)
  /// What the first bytes tell of the image.
  case info(ImageInfo)
  /// What has arrived so far, for those who want to show it.
  case partial(Data, ImageInfo)
  /// Something that was done; only where somebody listens.
  case step(PipelineEvent.Kind)
  /// An image to show until a better one is there.
  case preview(DecodedImage)
}
