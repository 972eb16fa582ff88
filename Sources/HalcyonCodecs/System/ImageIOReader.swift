#if IMAGEIO
import CoreGraphics
import Foundation
import HalcyonImaging
import ImageIO

/// Decodes images through ImageIO.
struct ImageIOReader: SystemImageReader {
  private func options(_ dynamicRange: DynamicRange = .standard) -> [CFString: Any] {
    let request = dynamicRange == .high ? kCGImageSourceDecodeToHDR : kCGImageSourceDecodeToSDR
    return [kCGImageSourceShouldCache: false, kCGImageSourceDecodeRequest: request]
  }

  func image(
    of file: Data, at index: Int?, longestSide: Int?, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) -> SystemImage? {
    let options = options(dynamicRange)
    guard let source = CGImageSourceCreateWithData(file as CFData, options as CFDictionary) else { return nil }
    let index = index ?? CGImageSourceGetPrimaryImageIndex(source)
    let image =
      if let longestSide {
        thumbnail(source, index, longestSide, options)
      } else {
        CGImageSourceCreateImageAtIndex(source, index, options as CFDictionary)
      }
    guard let image else { return nil }
    return SystemImage(
      bitmap: try Bitmap(image, colorSpace: colorSpace, dynamicRange: dynamicRange),
      isComplete: !CGImageSourceGetStatusAtIndex(source, index).isCut)
  }

  func isTruncated(_ file: Data) -> Bool {
    guard let source = CGImageSourceCreateWithData(file as CFData, options() as CFDictionary) else { return false }
    return [.statusUnexpectedEOF, .statusIncomplete].contains(CGImageSourceGetStatus(source))
  }

  func imageCount(of file: Data) -> Int {
    CGImageSourceCreateWithData(file as CFData, options() as CFDictionary).map(CGImageSourceGetCount) ?? 0
  }

  /// Made from the image itself, since an embedded thumbnail can show something else.
  private func thumbnail(
    _ source: CGImageSource, _ index: Int, _ longestSide: Int, _ options: [CFString: Any]
  ) -> CGImage? {
    var options = options
    options[kCGImageSourceCreateThumbnailFromImageAlways] = true
    options[kCGImageSourceCreateThumbnailWithTransform] = false
    options[kCGImageSourceThumbnailMaxPixelSize] = longestSide
    return CGImageSourceCreateThumbnailAtIndex(source, index, options as CFDictionary)
  }
}

extension CGImageSourceStatus {
  /// Whether the image ends too early. Some codecs give whole images a status other than complete.
  var isCut: Bool { [.statusUnexpectedEOF, .statusInvalidData, .statusIncomplete].contains(self) }
}

extension SystemDecoder {
  /// A decoder over ImageIO.
  init(graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool) {
    self.init(reader: ImageIOReader(), graphs: graphs, isCancelled: isCancelled)
  }
}
#endif
