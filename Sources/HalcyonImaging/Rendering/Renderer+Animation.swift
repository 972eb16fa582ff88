import Foundation

/// Animations that are encoded again, frame by frame.
extension Renderer {
  /// Decodes, processes and encodes the frames of an animation one after another.
  ///
  /// - Returns: `nil` if the result is a still image: the limit is one frame, or the file, its decoder or the encoder has no
  ///   more.
  func renderedAnimation(
    _ file: File, _ rendition: Rendition, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(RenderingError) -> Rendered? {
    guard rendition.frameLimit > 1, let encoding = rendition.encoding, let format = encoding.format,
      let decoder = file.decoder as? any AnimatedImageDecoder,
      let encoder = try? encoders.encoder(for: format) as? any AnimatedImageEncoder
    else { return nil }
    let frames: RenderedFrames
    do {
      let info = try decoder.wholeInfo(of: file.data)
      guard info.frameCount > 1 else { return nil }
      var options = options(rendition, isCancelled)
      options.dynamicRange = .standard
      let reader = try decoder.frameReader(for: file.data, options: options)
      guard reader.animation.frameCount > 1 else { return nil }
      frames = RenderedFrames(reader, info, rendition)
    } catch {
      throw .decoding(error)
    }
    do {
      let data = try encoder.fitting(options(encoding, of: file), byteLimit: encoding.byteLimit) { options in
        try frames.rewind()
        return try encoder.encode(frames.animation, options: options, nextFrame: frames.next)
      }
      return Rendered(data: data, decodedSize: frames.decodedSize)
    } catch let error as RenderingError {
      throw error
    } catch {
      throw .encoding(error)
    }
  }
}

/// The first frames of an animation, processed. For one thread at a time.
private final class RenderedFrames {
  let animation: AnimationInfo
  /// The size at which frames are decoded, once there is one.
  private(set) var decodedSize = PixelSize(width: 0, height: 0)

  private let reader: any ImageFrameReader
  private let info: ImageInfo
  private let rendition: Rendition
  private var count = 0

  init(_ reader: any ImageFrameReader, _ info: ImageInfo, _ rendition: Rendition) {
    (self.reader, self.info, self.rendition) = (reader, info, rendition)
    animation = AnimationInfo(
      frameCount: min(rendition.frameLimit, reader.animation.frameCount), loopCount: reader.animation.loopCount)
  }

  func next() throws(RenderingError) -> AnimationFrame? {
    do {
      guard count < animation.frameCount, var frame = try reader.nextFrame() else { return nil }
      count += 1
      decodedSize = frame.bitmap.size
      frame.bitmap = try frame.bitmap.finished(in: rendition.colorSpace, by: rendition.processors, of: info)
      return frame
    } catch {
      throw RenderingError(error)
    }
  }

  func rewind() throws(RenderingError) {
    guard count > 0 else { return }
    do {
      try reader.rewind()
    } catch {
      throw .decoding(error)
    }
    count = 0
  }
}
