#if IMAGEIO
import CoreGraphics
import Foundation
import HalcyonImaging
import ImageIO

/// Decodes images through ImageIO.
struct ImageIOReader: SystemImageReader {
  func image(of file: Data, longestSide: Int?) throws(BitmapError) -> SystemImage? {
    let options = [kCGImageSourceShouldCache: false] as CFDictionary
    guard let source = CGImageSourceCreateWithData(file as CFData, options) else { return nil }
    let index = CGImageSourceGetPrimaryImageIndex(source)
    let image =
      if let longestSide {
        thumbnail(source, index, longestSide)
      } else {
        CGImageSourceCreateImageAtIndex(source, index, options)
      }
    guard let image else { return nil }
    return SystemImage(
      bitmap: try Bitmap(image), isComplete: CGImageSourceGetStatusAtIndex(source, index) == .statusComplete)
  }

  /// Of the image itself: an embedded thumbnail can show something else.
  private func thumbnail(_ source: CGImageSource, _ index: Int, _ longestSide: Int) -> CGImage? {
    let options: [CFString: Any] = [
      kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: false,
      kCGImageSourceThumbnailMaxPixelSize: longestSide, kCGImageSourceShouldCache: false,
    ]
    return CGImageSourceCreateThumbnailAtIndex(source, index, options as CFDictionary)
  }
}

extension SystemDecoder {
  /// A decoder over ImageIO.
  init(graphs: ResampleGraphCache, isCancelled: @escaping () -> Bool) {
    self.init(reader: ImageIOReader(), graphs: graphs, isCancelled: isCancelled)
  }
}
#endif
