package import HalcyonImaging
package import Foundation

/// Encodes baseline or progressive JPEG. Chroma subsampling is 4:2:0 below a quality of 0.9, otherwise 4:4:4.
///
/// Through libjpeg-turbo, which writes grey images without a gain map with one channel, and on Apple's systems through
/// ImageIO, which chooses the subsampling and writes baseline files. JPEG has no alpha channel: transparent pixels are
/// blended over the background colour of the options.
package struct JPEGEncoder: ImageEncoder {
  /// The longest side that libjpeg writes, in pixels.
  private static let sideLimit = 65_500

  let isProgressive: Bool

  /// Creates an encoder.
  ///
  /// - Parameter isProgressive: Whether files are shown in passes as they arrive, which takes the memory of all
  ///   coefficients and about twice the time.
  package init(isProgressive: Bool = false) { self.isProgressive = isProgressive }

  package var format: ImageFormat { .jpeg }

  /// Encodes a bitmap.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,500 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    let bitmap = try bitmap.inStandardRange()
    try check(bitmap.size)
    let file = try file(of: bitmap, options: options)
    return WritableMetadata(options.metadata, bitmap.colorSpace)?.added(toJPEG: file) ?? file
  }

  func check(_ size: PixelSize) throws(ImageEncodingError) {
    guard max(size.width, size.height) <= Self.sideLimit else { throw .tooLarge(.jpeg, size) }
  }
}
