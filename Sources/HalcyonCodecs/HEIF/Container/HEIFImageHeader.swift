#if AVIF || HEIF
import HalcyonImaging
import Foundation

/// What the boxes of an AVIF or HEIC file tell of the picture that stands for it.
struct HEIFImageHeader {
  /// The size of the coded picture, with what is not shown.
  var codedSize: PixelSize
  var aperture: CleanAperture
  var orientation = ImageOrientation.up
  var hasAlpha = false
  var isAlphaPremultiplied = false
  var isGrey = false
  var bitDepth = 8
  /// As the container tells it, which overrides the codec's own word.
  var color: ColorCoding?
  var colorProfile: Data?
  var frameCount = 1
  var loopCount: Int?
  var droppedContent: Set<DroppedContent> = []

  /// The header of the same picture once it has been cropped and turned.
  var transformed: HEIFImageHeader {
    var header = self
    header.codedSize = orientation.swapsAxes ? aperture.size.transposed : aperture.size
    header.aperture = CleanAperture(whole: header.codedSize)
    header.orientation = .up
    return header
  }

  func info(_ format: ImageFormat) -> ImageInfo {
    ImageInfo(
      format: format, storedSize: aperture.size, orientation: orientation, hasAlpha: hasAlpha, frameCount: frameCount,
      colorModel: isGrey ? .grey : color?.matrix == 0 ? .rgb : .yCbCr, bitDepth: bitDepth,
      hasColorProfile: colorProfile != nil, droppedContent: droppedContent)
  }
}
#endif
