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
    var frame = frame
    do {
      frame.bitmap = try frame.bitmap.finished(in: options.colorSpace, by: processors, of: info)
    } catch let failure as ProcessorFailure {
      throw (failure.cause as? ImageProcessingError)
        ?? .failed(identifier: failure.identifier, reason: String(describing: failure.cause))
    }
    return frame
  }
}
