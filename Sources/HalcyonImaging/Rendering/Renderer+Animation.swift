import Foundation

/// Animations that are encoded again, frame by frame.
extension Renderer {
  /// Decodes, processes and encodes the frames of an animation one after another.
  ///
  /// A damaged file is read twice: whole, and then as far as it goes.
  ///
  /// - Returns: `nil` if the result is a still image: the limit is one frame, or the file, its decoder or the encoder has no
  ///   more.
  func renderedAnimation(
    _ file: File, _ rendition: Rendition, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(RenderingError) -> Rendered? {
    guard rendition.frameLimit > 1, let encoding = rendition.encoding, let format = encoding.format,
      let decoder = file.decoder as? any AnimatedImageDecoder, decoder.decodes(rendition.region),
      let encoder = try? encoders.encoder(for: format) as? any AnimatedImageEncoder
    else { return nil }
    func rendered(isPartial: Bool) throws(RenderingError) -> Rendered? {
      var rendition = rendition
      rendition.allowsPartialImage = isPartial
      guard let frames = try frames(of: file, by: decoder, rendition, isCancelled) else { return nil }
      do {
        let data = try encoder.fitting(options(encoding, of: file), byteLimit: encoding.byteLimit) { options in
          try frames.rewind()
          return try encoder.encode(frames.animation, options: options, nextFrame: frames.next)
        }
        return Rendered(
          data: data, decodedSize: frames.decodedSize, size: frames.size, frameCount: frames.count, isPartial: isPartial
        )
      } catch let error as RenderingError {
        throw error
      } catch {
        throw .encoding(error)
      }
    }
    do {
      return try rendered(isPartial: false)
    } catch  where rendition.allowsPartialImage && error.isDamage {
      return try rendered(isPartial: true)
    }
  }

  /// The frames of a file; `nil` if it has only one.
  private func frames(
    of file: File, by decoder: any AnimatedImageDecoder, _ rendition: Rendition,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(RenderingError) -> RenderedFrames? {
    do {
      let info = try decoder.wholeInfo(of: file.data)
      guard info.frameCount > 1 else { return nil }
      var rendition = rendition
      if let crop = try smartCrop(of: file, &rendition) { rendition.processors.insert(crop, at: 0) }
      var options = options(rendition, isCancelled)
      options.dynamicRange = .standard
      let reader = try decoder.frameReader(for: file.data, options: options)
      return reader.animation.frameCount > 1 ? RenderedFrames(reader, info, rendition) : nil
    } catch {
      throw .decoding(error)
    }
  }
}

/// The first frames of an animation, processed. For one thread at a time.
private final class RenderedFrames {
  let animation: AnimationInfo
  /// The size at which frames are decoded, and the size of the processed ones, once there is one.
  private(set) var decodedSize = PixelSize(width: 0, height: 0)
  private(set) var size = PixelSize(width: 0, height: 0)
  /// The number of frames that have been read.
  private(set) var count = 0

  private let reader: any ImageFrameReader
  private let info: ImageInfo
  private let rendition: Rendition

  init(_ reader: any ImageFrameReader, _ info: ImageInfo, _ rendition: Rendition) {
    (self.reader, self.info, self.rendition) = (reader, info, rendition)
    animation = AnimationInfo(
      frameCount: min(rendition.frameLimit, reader.animation.frameCount), loopCount: reader.animation.loopCount)
  }

  func next() throws(RenderingError) -> AnimationFrame? {
    var image: ProcessedImage
    let duration: Duration
    do {
      guard count < animation.frameCount else {
        // What is missing of a cut file may be after its last frame.
        if count == reader.animation.frameCount { _ = try reader.nextFrame() }
        return nil
      }
      guard let frame = try reader.nextFrame() else { return nil }
      count += 1
      (decodedSize, duration) = (frame.bitmap.size, frame.duration)
      image = ProcessedImage(try frame.bitmap.converted(for: rendition.colorSpace), of: info)
    } catch {
      throw .decoding(error)
    }
    do {
      try image.apply(rendition.processors)
    } catch {
      throw .processing(identifier: error.identifier, error.cause)
    }
    size = image.bitmap.size
    return AnimationFrame(bitmap: image.bitmap, duration: duration)
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
