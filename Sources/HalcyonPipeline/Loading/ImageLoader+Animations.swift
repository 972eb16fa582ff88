import Foundation
import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// Animations that are encoded again, frame by frame.
extension ImageLoader {
  /// Decodes, processes and encodes the frames of an animation one after another, on the calling thread.
  ///
  /// - Parameter frameLimit: The most frames.
  /// - Returns: `nil` if the result is a still image: the limit is one frame, or the file, its decoder or the encoder has no
  ///   more.
  func makeAnimationNow(
    _ encoded: EncodedImage, _ request: ImageRequest, by decoder: any ImageDecoder, frameLimit: Int,
    _ flag: CancellationFlag
  ) throws -> Made? {
    guard frameLimit > 1, encoded.info.frameCount > 1, let decoder = decoder as? any AnimatedImageDecoder,
      case .encoded(let format, let quality) = request.storagePolicy.format,
      let encoder = try? configuration.encoders.encoder(for: format) as? any AnimatedImageEncoder
    else { return nil }
    let reader = try decoder.frameReader(for: encoded.data, options: decodingOptions(request, flag))
    guard reader.animation.frameCount > 1 else { return nil }
    let frames = ProcessedFrames(reader, encoded, request, limit: frameLimit)
    let policy = request.storagePolicy
    let options = policy.adding(
      metadataOf: encoded.data, encoded.info.format, configuration.decoders(for: request),
      to: policy.options(quality: quality))
    do {
      let data = try encoder.fitting(options, byteLimit: policy.byteLimit) { options in
        try frames.rewind()
        return try encoder.encode(frames.animation, options: options, nextFrame: frames.next)
      }
      return Made(data: data, placeholder: nil, decodedSize: frames.decodedSize, isPartial: false)
    } catch let error where error is ImageError || error is ImageDecodingError {
      throw error
    } catch {
      throw ImageError(encoding: error, url: encoded.sourceURL)
    }
  }
}

/// The first frames of an animation, processed. For one thread at a time.
private final class ProcessedFrames {
  let animation: AnimationInfo
  /// The size at which frames are decoded, once there is one.
  private(set) var decodedSize = PixelSize(width: 0, height: 0)

  private let reader: any ImageFrameReader
  private let processors: [any ImageProcessor]
  private let colorSpace: TargetColorSpace
  private var count = 0

  init(_ reader: any ImageFrameReader, _ encoded: EncodedImage, _ request: ImageRequest, limit: Int) {
    self.reader = reader
    let context = ImageProcessingContext(request: request, response: encoded.responseHead, info: encoded.info)
    processors = request.processors.map { $0.bound(to: context) }
    colorSpace = request.targetColorSpace
    animation = AnimationInfo(
      frameCount: min(limit, reader.animation.frameCount), loopCount: reader.animation.loopCount)
  }

  /// - Throws: Errors of the decoder; ``ImageError`` if a processor fails.
  func next() throws -> AnimationFrame? {
    guard count < animation.frameCount, var frame = try reader.nextFrame() else { return nil }
    count += 1
    decodedSize = frame.bitmap.size
    frame.bitmap = try frame.bitmap.converted(for: colorSpace)
    for processor in processors { frame.bitmap = try processor.processed(frame.bitmap) }
    return frame
  }

  func rewind() throws {
    guard count > 0 else { return }
    try reader.rewind()
    count = 0
  }
}
