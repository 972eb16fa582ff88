#if IMAGEIO
package import HalcyonImaging
package import Foundation

/// Decodes AVIF through ImageIO, where the system has a codec for it.
package struct AVIFDecoder: AnimatedImageDecoder {
  private let graphs = ResampleGraphCache()

  package init() {}

  package let formats: Set<ImageFormat> = [.avif]
  package var decodesRegions: Bool { true }

  /// Reads the boxes before the coded image data.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    try HEIFImageFile.probe(bytes, format: .avif, isComplete: isComplete)
  }

  /// Decodes a complete file at the target size; of an image sequence, its still image.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try HEIFImageFile(bytes, format: .avif).image(graphs: graphs, options: options)
  }

  /// Opens an image sequence at its first frame, or a still image as an animation of one frame.
  ///
  /// A sequence whose frames the system does not find is a still image, too.
  package func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    try HEIFImageFile(bytes, format: .avif).frameReader(graphs: graphs, options: options)
  }

  /// Reads the boxes, and the Exif and XMP items that they point to.
  package func metadata(of bytes: Data) throws -> ImageMetadata { try HEIFImageFile(bytes, format: .avif).metadata }
}
#endif
