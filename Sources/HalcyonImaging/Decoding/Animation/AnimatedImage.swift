import HalcyonSupport
public import Foundation

/// An animated image as it was encoded, and what it takes to play it.
///
/// It holds the encoded bytes and no pictures, so it is small and cheap to keep. Safe from any thread.
public final class AnimatedImage: Sendable {
  /// The encoded bytes, as they came: what processors make of the pictures is not in them.
  public let data: Data
  /// The facts about the file.
  public let info: ImageInfo
  /// How many pictures there are, and how often they are shown.
  public let animation: AnimationInfo

  private let decoder: any AnimatedImageDecoder
  private let options: DecodingOptions
  /// Changes to each picture, made when it is asked for.
  private let processors: [any ImageProcessor]
  private let shared = Lock(WeakFrames())

  private struct WeakFrames: Sendable {
    weak var frames: AnimationFrames?
  }

  /// Opens an animation, without decoding a picture.
  ///
  /// - Parameters:
  ///   - data: A whole file.
  ///   - info: What `decoder` says about it.
  ///   - decoder: Reads the pictures.
  ///   - options: The size at which they are wanted, and what they may be at most.
  /// - Throws: What ``AnimatedImageDecoder/frameReader(for:options:)`` throws.
  public init(data: Data, info: ImageInfo, decoder: any AnimatedImageDecoder, options: DecodingOptions) throws {
    // Who decoded the first picture may go away; the animation goes on for those who look at it.
    let options = DecodingOptions(size: options.size, limits: options.limits)
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

  /// The same animation with one more change to each of its pictures, whose times stay as they are. Nothing is changed
  /// before it is asked for.
  public func processed(by processor: any ImageProcessor) -> AnimatedImage {
    AnimatedImage(self, adding: processor)
  }

  /// Encoded bytes in memory.
  public var byteCount: Int { data.count }

  /// The pictures, shared by everyone who plays this image at the same time and freed with the last of them.
  public var frames: AnimationFrames {
    if let frames = shared.withLock({ $0.frames }) { return frames }
    // Made before the lock is taken: nothing is freed or called under it.
    let new = AnimationFrames(self)
    return shared.withLock { shared in
      if let frames = shared.frames { return frames }
      shared.frames = new
      return new
    }
  }

  /// A reader of all pictures from the first one on, for one thread at a time.
  public func frameReader() throws -> any ImageFrameReader {
    processors.isEmpty ? try sourceReader() : ProcessedFrameReader(try sourceReader(), of: self)
  }

  /// A reader of the pictures as they are in the file.
  func sourceReader() throws -> any ImageFrameReader { try decoder.frameReader(for: data, options: options) }

  /// A picture of the file as this animation shows it.
  ///
  /// - Throws: ``ImageProcessingError``, also for an error of a processor of the caller's.
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
