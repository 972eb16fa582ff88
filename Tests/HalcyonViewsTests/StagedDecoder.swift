import HalcyonTestDoubles
import HalcyonImaging
import Foundation

/// Decodes ``SolidImage``, with a preview of 2×1 pixels once the bytes of the colour have arrived.
struct StagedDecoder: ProgressiveImageDecoder {
  private let whole = SolidDecoder()
  var formats: Set<ImageFormat> { whole.formats }

  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { try whole.probe(bytes, isComplete: isComplete) }

  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try whole.decode(bytes, options: options)
  }

  func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview? {
    guard prefix.count >= 13, stage == 0 else { return nil }
    return ImagePreview(image: try solidImage(2, 1), stage: 1)
  }
}
