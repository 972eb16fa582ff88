import HalcyonImaging
import HalcyonSupport

/// How a view plays an animated image: ``ImageViewOptions/playback``.
public struct AnimationPlayback: Hashable, Sendable {
  /// How often an animation is played.
  public enum LoopCount: Hashable, Sendable {
    /// As often as its file says.
    case file
    /// Without end.
    case forever
    /// This many times in total; below 1 counts as 1.
    case times(Int)
  }

  /// Whether the animation begins when the view is visible. Default: `true`; otherwise the first frame is shown until
  /// ``AnimationController/play()``.
  public var playsAutomatically: Bool
  /// How often it is played. Default: as often as the file says.
  public var loopCount: LoopCount
  /// The speed, from 0.01 to 100: 2 is twice as fast; or from -100 to -0.01 to play backwards, from the last frame to the
  /// first. Other numbers are clamped. Default: 1, also for NaN.
  ///
  /// Backwards, each frame of an animation of over 32 MiB of pixels is decoded after all frames before it.
  public var speed: Double { didSet { speed = Self.clamped(speed) } }
  /// Whether only the first frame is shown, as a still image. Default: `false`.
  ///
  /// The animation is loaded all the same, for other views; ``AnimationPolicy/firstFrame`` loads only the first frame.
  public var showsFirstFrameOnly: Bool

  /// Creates options.
  public init(
    playsAutomatically: Bool = true, loopCount: LoopCount = .file, speed: Double = 1, showsFirstFrameOnly: Bool = false
  ) {
    self.playsAutomatically = playsAutomatically
    self.loopCount = loopCount
    self.speed = Self.clamped(speed)
    self.showsFirstFrameOnly = showsFirstFrameOnly
  }

  private static func clamped(_ speed: Double) -> Double {
    let factor = abs(speed).clamped(to: 0.01...100, nan: 1)
    return speed < 0 ? -factor : factor
  }

  /// The number of frames of an animation, and the number of loops to play.
  func info(of animation: AnimatedImage) -> AnimationInfo {
    var info = animation.animation
    switch loopCount {
    case .file: break
    case .forever: info.loopCount = nil
    case .times(let count): info.loopCount = max(1, count)
    }
    return info
  }
}

/// An event of the animation of a view: ``AnimationController/onEvent``.
@nonexhaustive
public enum AnimationEvent: Hashable, Sendable {
  /// It plays: at the beginning, when the view joins others that play it, and after ``AnimationController/play()``.
  case started
  /// Another frame is shown; frames that are late may be skipped.
  case frameChanged(index: Int)
  /// The next loop begins, after `count` complete ones.
  case looped(count: Int)
  /// The last frame of the last loop is shown and stays, backwards the first frame, or the next frame cannot be decoded.
  case finished
}
