public import Foundation

/// A decoder that can show a picture before all of its bytes are there.
///
/// A conformer keeps these laws, beside those of ``ImageDecoder``:
/// - Metadata and embedded thumbnails before the picture are no picture, however long they are.
/// - A preview has the size, the orientation and the colours of the whole image, only less detail.
/// - The stage never falls while bytes are added.
/// - Nothing is remembered between calls, so each costs what decoding its bytes does.
public protocol ProgressiveImageDecoder: ImageDecoder {
  /// The picture that the first bytes of a file show, or `nil` while it is no better than the one shown already.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the file.
  ///   - stage: The stage of the last preview, 0 when there was none.
  func preview(_ prefix: Data, after stage: Int, options: DecodingOptions) throws -> ImagePreview?
}

/// A picture with less detail than the file will have.
public struct ImagePreview: Sendable {
  /// The picture; `isPartial` is set.
  public var image: DecodedImage
  /// How far the file has come, from 1: scans or passes that are complete.
  public var stage: Int

  /// Pairs a picture with its stage.
  public init(image: DecodedImage, stage: Int) {
    self.image = image
    self.stage = stage
  }
}
