public import Foundation

/// A decoder that can decode previews from the first bytes of a file.
///
/// A conformer keeps these laws, in addition to the laws of ``ImageDecoder``:
/// - Metadata before the image never counts as a preview, however long it is; an embedded thumbnail does only if it shows
///   the whole image.
/// - A preview has the size, the orientation and the colours of the complete image, only less detail, or rows that are
///   still missing.
/// - The stage never decreases as bytes are added.
/// - It keeps no state between calls, so each call decodes all bytes again.
public protocol ProgressiveImageDecoder: ImageDecoder {
  /// The preview of the first bytes of a file, or `nil` if it is no better than the last one.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the file.
  ///   - stage: The stage of the last preview; 0 before the first.
  ///   - options: The size to decode at, and the limits.
  func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview?
}

/// An image with less detail than the complete file.
public struct ImagePreview: Sendable {
  /// The preview; its `isPartial` is true.
  public var image: DecodedImage
  /// How much of the image the preview shows, at least 1: it rises with each scan, pass or thumbnail.
  public var stage: Int

  /// Creates a preview.
  public init(image: DecodedImage, stage: Int) {
    self.image = image
    self.stage = stage
  }
}
