package import Foundation
import HalcyonSupport

/// An encoder that can also write the frames of an animated image one by one.
package protocol AnimatedImageEncoder: ImageEncoder {
  /// Begins a file. The quality, the background and the metadata of the options apply to all frames.
  func frameWriter(for animation: AnimationInfo, options: EncodingOptions) throws -> any ImageFrameWriter
}

/// Writes the frames of an animated image in order; not thread-safe.
///
/// A conformer keeps these laws:
/// - It holds the encoded frames and a fixed number of decoded ones, however many there are.
/// - Durations that the format cannot express are clamped and rounded.
/// - A frame of another size than the first is an ``ImageEncodingError/failed(_:reason:)``, and so is a file without
///   frames.
package protocol ImageFrameWriter: AnyObject {
  /// Encodes the next frame, which is complete.
  func add(_ frame: AnimationFrame) throws

  /// The file. Called once, after the last frame.
  func finish() throws -> Data
}

extension AnimatedImageEncoder {
  /// Encodes frames until there are no more, holding one of them at a time.
  package func encode(
    _ animation: AnimationInfo, options: EncodingOptions, nextFrame: () throws -> AnimationFrame?
  ) throws -> Data {
    let writer = try frameWriter(for: animation, options: options)
    while let frame = try nextFrame() {
      try CancellationFlag.checkCurrent()
      try writer.add(frame)
    }
    return try writer.finish()
  }
}

extension ImageEncodingError {
  /// The error of a writer that got no frames, or frames of different sizes.
  package static func unequalFrames(_ format: ImageFormat) -> ImageEncodingError {
    .failed(format, reason: "an animation needs at least one frame, all of the same size")
  }
}
