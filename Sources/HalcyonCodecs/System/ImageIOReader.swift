#if IMAGEIO
import CoreGraphics
import Foundation
import HalcyonImaging
import HalcyonSupport
import ImageIO

/// Decodes images through ImageIO.
final class ImageIOReader: SystemImageReader {
  /// A source, whose functions are safe from any thread.
  private struct Source: @unchecked Sendable {
    let file: Data
    let dynamicRange: DynamicRange
    let source: CGImageSource
  }

  /// Kept for the next frame of its file: a new source would decode again the frames that it depends on.
  private let last = Lock<Source?>(nil)

  private func source(of file: Data, _ dynamicRange: DynamicRange = .standard) -> CGImageSource? {
    if let last = last.withLock(\.self), last.dynamicRange == dynamicRange, last.file.sharesBytes(with: file) {
      return last.source
    }
    let source = CGImageSourceCreateWithData(file as CFData, options(dynamicRange) as CFDictionary)
    last.replace(with: source.map { Source(file: file, dynamicRange: dynamicRange, source: $0) })
    return source
  }

  private func options(_ dynamicRange: DynamicRange = .standard) -> [CFString: Any] {
    let request = dynamicRange == .high ? kCGImageSourceDecodeToHDR : kCGImageSourceDecodeToSDR
    return [kCGImageSourceShouldCache: false, kCGImageSourceDecodeRequest: request]
  }

  func image(
    of file: Data, at index: Int?, longestSide: Int?, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) -> SystemImage? {
    let options = options(dynamicRange)
    guard let source = source(of: file, dynamicRange) else { return nil }
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
    guard let source = source(of: file) else { return false }
    return [.statusUnexpectedEOF, .statusIncomplete].contains(CGImageSourceGetStatus(source))
  }

  func imageCount(of file: Data) -> Int {
    source(of: file).map(CGImageSourceGetCount) ?? 0
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

extension Data {
  fileprivate func sharesBytes(with other: Data) -> Bool {
    count == other.count && withUnsafeBytes { own in other.withUnsafeBytes { own.baseAddress == $0.baseAddress } }
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
