import HalcyonSupport
public import Foundation

/// The encoded data of an animated image, with the decoder and the options to play it.
///
/// It holds no decoded frames, so it is small. Safe from any thread.
///
/// ```swift
/// if let animation = image.animation {
///   for index in 0..<animation.animation.frameCount {
///     let frame = try await animation.frames.frame(at: index)
///     show(frame.bitmap)
///   }
/// }
/// ```
public final class AnimatedImage: Sendable {
  /// The original encoded data; processors do not change it.
  public let data: Data
  /// The properties of the file.
  public let info: ImageInfo
  /// The number of frames and of loops.
  public let animation: AnimationInfo

  private let decoder: any AnimatedImageDecoder
  private let options: DecodingOptions
  /// Applied to each frame when it is decoded.
  private let processors: [any ImageProcessor]
  private let shared = Lock(WeakFrames())

  private struct WeakFrames: Sendable {
    weak var frames: AnimationFrames?
  }

  /// Opens an animation without decoding a frame.
  ///
  /// - Parameters:
  ///   - data: A complete file.
  ///   - info: The properties of the file, from `decoder`.
  ///   - decoder: Reads the frames.
  ///   - options: The target size, the limits, and whether frames may be partial; other options are ignored.
  /// - Throws: Errors of ``AnimatedImageDecoder/frameReader(for:options:)``.
  public init(data: Data, info: ImageInfo, decoder: any AnimatedImageDecoder, options: DecodingOptions) throws {
    // Without `isCancelled`: cancelling the load of the first frame must not cancel later ones.
    let options = DecodingOptions(
      size: options.size, limits: options.limits, allowsPartialImage: options.allowsPartialImage)
    animation = try decoder.frameReader(for: data, options: options).animation
    self.data = data
    self.info = info
    self.decoder = decoder
    self.options = options
    processors = []
  }

  private init(_ image: AnimatedImage, adding processor: any ImageProcessor) {
    (data, info, animation) = (image.data, image.info, image.animation)
    (decoder, options) = (image.decoder, image.options)
    processors = image.processors + [processor]
  }

  /// The animation with another processor, which is applied to each frame when it is decoded.
  ///
  /// Durations are unchanged.
  public func processed(by processor: any ImageProcessor) -> AnimatedImage {
    AnimatedImage(self, adding: processor)
  }

  /// Whether processors are applied to the frames, which ``data`` does not contain.
  package var isProcessed: Bool { !processors.isEmpty }

  /// The size of the encoded data in bytes.
  public var byteCount: Int { data.count }

  /// The decoded frames, shared by all views that play this image and freed with the last reference.
  public var frames: AnimationFrames {
    if let frames = shared.withLock({ $0.frames }) { return frames }
    // Created before the lock is acquired, so that nothing is freed or called under it.
    let new = AnimationFrames(self)
    return shared.withLock { shared in
      if let frames = shared.frames { return frames }
      shared.frames = new
      return new
    }
  }

  /// A reader of all processed frames, starting at the first; not thread-safe.
  public func frameReader() throws -> any ImageFrameReader {
    processors.isEmpty ? try sourceReader() : ProcessedFrameReader(try sourceReader(), of: self)
  }

  /// A reader of the unprocessed frames.
  func sourceReader() throws -> any ImageFrameReader { try decoder.frameReader(for: data, options: options) }

  /// Applies the processors to a frame.
  ///
  /// - Throws: ``ImageProcessingError``, which also wraps errors of custom processors.
  func processed(_ frame: AnimationFrame) throws -> AnimationFrame {
    var frame = frame
    for processor in processors {
      do {
        frame.bitmap = try processor.process(frame.bitmap)
      } catch let error as ImageProcessingError {
        throw error
      } catch {
        throw ImageProcessingError.failed(identifier: processor.identifier, reason: String(describing: error))
      }
    }
    return frame
  }
}

/// Reads the frames of an animation and applies its processors.
private final class ProcessedFrameReader: ImageFrameReader {
  private let source: any ImageFrameReader
  private let image: AnimatedImage

  init(_ source: any ImageFrameReader, of image: AnimatedImage) {
    self.source = source
    self.image = image
  }

  var animation: AnimationInfo { source.animation }

  func nextFrame() throws -> AnimationFrame? {
    guard let frame = try source.nextFrame() else { return nil }
    return try image.processed(frame)
  }

  func rewind() throws { try source.rewind() }
}
