import Foundation

/// The encoded data of an animation, and how its frames are made from it.
struct AnimationSource: Sendable {
  let data: Data
  let info: ImageInfo
  let animation: AnimationInfo
  let decoder: any AnimatedImageDecoder
  let options: DecodingOptions
  /// Applied to each frame when it is decoded.
  var processors: [any ImageProcessor] = []

  /// A reader of the unprocessed frames.
  func reader() throws -> any ImageFrameReader { try decoder.frameReader(for: data, options: options) }

  /// Converts a frame to the colour space of the options, and applies the processors to it.
  ///
  /// - Throws: ``ImageProcessingError``, which also wraps errors of custom processors.
  func processed(_ frame: AnimationFrame) throws -> AnimationFrame {
    var image = ProcessedImage(try frame.bitmap.converted(for: options.colorSpace), of: info)
    do {
      try image.apply(processors)
    } catch {
      throw (error.cause as? ImageProcessingError)
        ?? .failed(identifier: error.identifier, reason: String(describing: error.cause))
    }
    return AnimationFrame(bitmap: image.bitmap, duration: frame.duration)
  }
}
