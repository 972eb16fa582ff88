public import Foundation

/// A decoder that can also decode the frames of an animated image one by one.
public protocol AnimatedImageDecoder: ImageDecoder {
  /// Opens an animated image at its first frame. A still image is an animation of one frame.
  func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader
}

/// Reads the frames of an animated image in order; not thread-safe.
///
/// A conformer keeps these laws:
/// - Every frame is complete and upright and has the size that the options request: earlier frames have been composed
///   into it as specified by the format.
/// - It holds one canvas and the state of its codec, never all frames.
public protocol ImageFrameReader: AnyObject {
  /// The properties of the animation, known before its frames are decoded.
  var animation: AnimationInfo { get }

  /// The next frame, or `nil` after the last.
  func nextFrame() throws -> AnimationFrame?

  /// Returns to the first frame.
  func rewind() throws
}

/// The properties of an animation that are known before its frames are decoded.
public struct AnimationInfo: Hashable, Sendable {
  /// The number of frames, at least 1.
  public var frameCount: Int
  /// How often the animation plays in total; `nil` for an endless loop.
  public var loopCount: Int?

  /// Creates animation properties.
  public init(frameCount: Int, loopCount: Int?) {
    self.frameCount = frameCount
    self.loopCount = loopCount
  }
}

/// A frame of an animation.
public struct AnimationFrame: Sendable {
  /// The complete frame.
  public var bitmap: Bitmap
  /// The display duration, as in browsers: the one in the file, or 100 ms if that is 10 ms or less.
  public var duration: Duration

  /// Creates a frame.
  public init(bitmap: Bitmap, duration: Duration) {
    self.bitmap = bitmap
    self.duration = duration
  }
}

extension ImageDecoder {
  /// Decodes a complete file at the target size; an animated image keeps its encoded data for playback.
  ///
  /// ``DecodedImage/animation`` is set if the file has several frames, this decoder is an ``AnimatedImageDecoder``, and
  /// ``DecodingOptions/keepsAnimation`` is true. If the animation cannot be opened, the result is the still frame, with
  /// ``DroppedContent/frames`` in its dropped content.
  ///
  /// If the decoder fails at the target size, but not because of damaged data or a limit, the image is decoded at its
  /// original size and scaled.
  public func image(from bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    var still = try decodeWithFallback(bytes, options: options)
    // A picture with a gain map stays in the colour space for which the map was made.
    if still.gainMap == nil { still.bitmap = try still.bitmap.converted(for: options.colorSpace) }
    guard options.keepsAnimation, still.info.frameCount > 1, let decoder = self as? any AnimatedImageDecoder,
      decodes(options.region)
    else { return still }
    var info = still.info
    info.droppedContent.remove(.frames)
    guard let animation = try? AnimatedImage(data: bytes, info: info, decoder: decoder, options: options),
      animation.animation.frameCount > 1
    else { return still }
    return DecodedImage(
      bitmap: try still.bitmap.inStandardRange(), info: info, animation: animation, isPartial: still.isPartial)
  }
}
