public import Foundation

/// A decoder that can also give the pictures of an animated image one by one.
public protocol AnimatedImageDecoder: ImageDecoder {
  /// Opens an animated image at its first picture. A still image is an animation of one picture.
  func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader
}

/// Reads the pictures of an animated image in order. For one thread at a time.
///
/// A conformer keeps these laws:
/// - Every picture is whole and upright, of the size that the options ask for: what earlier ones left has been
///   composed into it as the format says.
/// - It holds one canvas and what its codec needs, never all pictures.
public protocol ImageFrameReader: AnyObject {
  /// What is known of the animation before its pictures are decoded.
  var animation: AnimationInfo { get }

  /// The next picture, or `nil` after the last.
  func nextFrame() throws -> AnimationFrame?

  /// Goes back to the first picture.
  func rewind() throws
}

/// What is known of an animation before its pictures are decoded.
public struct AnimationInfo: Hashable, Sendable {
  /// The number of pictures, at least 1.
  public var frameCount: Int
  /// How often the pictures are shown in all; `nil` for ever.
  public var loopCount: Int?

  /// Creates a description.
  public init(frameCount: Int, loopCount: Int?) {
    self.frameCount = frameCount
    self.loopCount = loopCount
  }
}

/// One picture of an animation.
public struct AnimationFrame: Sendable {
  /// The whole picture.
  public var bitmap: Bitmap
  /// How long it is shown, after the browsers' rule: what the file says, and 100 ms where that is 10 ms or less.
  public var duration: Duration

  /// Pairs a picture with its time.
  public init(bitmap: Bitmap, duration: Duration) {
    self.bitmap = bitmap
    self.duration = duration
  }
}
