public import Foundation

/// A decoder that can decode previews from the first bytes of a file.
///
/// A conformer keeps these laws, in addition to those of ``ImageDecoder``:
/// - Metadata and embedded thumbnails before the image never count as a preview, however long they are.
/// - A preview has the size, the orientation and the colours of the complete image, only less detail.
/// - The stage never decreases as bytes are added.
/// - It keeps no state between calls, so each call decodes all bytes again.
public protocol ProgressiveImageDecoder: ImageDecoder {
  /// The preview of the first bytes of a file, or `nil` if it is no better than the last one.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the file.
  ///   - stage: The stage of the last preview; 0 before the first.
  func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview?
}

/// An image with less detail than the complete file.
public struct ImagePreview: Sendable {
  /// The preview; its `isPartial` is true.
  public var image: DecodedImage
  /// The number of complete scans or passes, at least 1.
  public var stage: Int

  /// Creates a preview.
  public init(image: DecodedImage, stage: Int) {
    self.image = image
    self.stage = stage
  }
}
