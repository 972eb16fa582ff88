import HalcyonSupport
public import Foundation

/// The frames of an animated image, decoded on demand.
///
/// Safe from any thread. Frames are decoded on threads of the library; views play them.
///
/// ```swift
/// if let animation = image.animation {
///   for try await frame in animation.frames { print(frame.bitmap.size, frame.duration) }
/// }
/// ```
public final class AnimatedImage: Sendable {
  /// The most bytes of frames that are kept for `frame(at:)`, and for each iteration of ``frames``.
  private static let readByteLimit = 8 << 20

  private let source: AnimationSource
  private let state = Lock(State())

  private struct State: Sendable {
    /// The frames that views play.
    weak var played: AnimationFrames?
    /// The frames that callers of `frame(at:)` read.
    var read: AnimationFrames?
  }

  /// Opens an animation without decoding a frame.
  ///
  /// - Parameters:
  ///   - data: A complete file.
  ///   - info: The properties of the file, from `decoder`.
  ///   - decoder: Reads the frames.
  ///   - options: The target size, the region, the limits, the colour space, and whether frames may be partial; other options are ignored.
  /// - Throws: Errors of ``AnimatedImageDecoder/frameReader(for:options:)``.
  package init(data: Data, info: ImageInfo, decoder: any AnimatedImageDecoder, options: DecodingOptions) throws {
    // Without `isCancelled`: cancelling the load of the first frame must not cancel later ones.
    let options = DecodingOptions(
      size: options.size, region: options.region, limits: options.limits,
      allowsPartialImage: options.allowsPartialImage,
      colorSpace: options.colorSpace)
    let animation = try decoder.frameReader(for: data, options: options).animation
    source = AnimationSource(data: data, info: info, animation: animation, decoder: decoder, options: options)
  }

  private init(_ source: AnimationSource) { self.source = source }

  /// The original encoded data; processors do not change it.
  public var data: Data { source.data }

  /// The number of frames, at least 1.
  public var frameCount: Int { source.animation.frameCount }

  /// How often the animation plays in total; `nil` for an endless loop.
  public var loopCount: Int? { source.animation.loopCount }

  /// The frame at an index.
  ///
  /// The next few are decoded in advance. Up to 8 MiB of frames, and at least one, are kept as long as the animation is:
  /// an earlier frame that is not among them is decoded again, after all before it.
  ///
  /// - Parameter index: The number of the frame, from 0.
  /// - Precondition: `index` is at least 0 and below ``frameCount``.
  /// - Throws: Errors of the decoder, usually ``ImageDecodingError``; frames before a damaged one can still be read.
  ///   ``ImageDecodingError/cancelled`` if the calling task is cancelled.
  public func frame(at index: Int) async throws -> AnimationFrame { try await readFrames.frame(at: index) }

  /// All frames, each once and in order; every iteration begins at the first frame.
  ///
  /// Keeps no frame but those that are decoded in advance, up to 8 MiB. Errors are those of the decoder, and end the
  /// iteration.
  public var frames: Frames { Frames(source: source, byteLimit: Self.readByteLimit) }

  /// Reads each frame once and in order, on the calling thread and without keeping any.
  package func frameIterator() throws -> () throws -> AnimationFrame? {
    let reader = try source.reader()
    return { [source] in try reader.nextFrame().map(source.processed) }
  }

  /// The frames that views play if there are any, otherwise a few of its own.
  private var readFrames: AnimationFrames {
    if let frames = state.withLock({ $0.played ?? $0.read }) { return frames }
    let new = AnimationFrames(source, byteLimit: Self.readByteLimit)
    return state.withLock { state in
      if let frames = state.read { return frames }
      state.read = new
      return new
    }
  }

  /// The decoded frames, shared by all views that play this image and freed with the last reference.
  package var decodedFrames: AnimationFrames {
    if let frames = state.withLock({ $0.played }) { return frames }
    // Created before the lock is acquired, so that nothing is freed or called under it.
    let new = makeFrames()
    return state.withLock { state in
      if let frames = state.played { return frames }
      state.played = new
      return new
    }
  }

  /// An empty cache of frames. Views that play one image share ``decodedFrames`` instead.
  ///
  /// - Parameter byteLimit: The most bytes of frames to cache, at least 0. One frame is kept whatever its size.
  package func makeFrames(byteLimit: Int = 64 << 20) -> AnimationFrames {
    AnimationFrames(source, byteLimit: byteLimit)
  }

  /// The animation with more processors, which are applied to each frame when it is decoded.
  ///
  /// Durations are unchanged.
  package func processed(by processors: [any ImageProcessor]) -> AnimatedImage {
    var processed = source
    processed.processors += processors
    return AnimatedImage(processed)
  }

  /// Whether processors are applied to the frames, which ``data`` does not contain.
  package var isProcessed: Bool { !source.processors.isEmpty }

  /// The number of frames and of loops.
  package var animation: AnimationInfo { source.animation }
}

extension AnimatedImage {
  /// The frames of an animation from the first to the last; see ``AnimatedImage/frames``.
  public struct Frames: AsyncSequence, Sendable {
    fileprivate let source: AnimationSource
    fileprivate let byteLimit: Int

    /// Begins an iteration at the first frame; nothing is decoded before it is requested.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(frames: AnimationFrames(source, byteLimit: byteLimit, loops: false))
    }

    /// Decodes the frames of one iteration.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let frames: AnimationFrames
      private var index = 0

      fileprivate init(frames: AnimationFrames) { self.frames = frames }

      /// The next frame; `nil` after the last.
      ///
      /// - Throws: Errors of the decoder, usually ``ImageDecodingError``, after which the iteration has ended; frames before a
      ///   damaged one are delivered. ``ImageDecodingError/cancelled`` if the calling task is cancelled.
      public mutating func next() async throws -> AnimationFrame? {
        guard index < frames.animation.frameCount else { return nil }
        let frame = try await frames.frame(at: index)
        index += 1
        return frame
      }
    }
  }
}
