import HalcyonImaging

/// How a view plays an animated image: ``ImageViewOptions/playback``.
public struct AnimationPlayback: Hashable, Sendable {
  /// How often an animation is played.
  public enum LoopCount: Hashable, Sendable {
    /// As often as its file says.
    case file
    /// Without end.
    case forever
    /// This many times in total, at least once.
    case times(Int)
  }

  /// Whether the animation begins when the view is visible. Default: `true`; otherwise the first frame is shown until
  /// ``AnimationController/play()``.
  public var playsAutomatically: Bool
  /// How often it is played. Default: as often as the file says.
  public var loopCount: LoopCount
  /// The speed, above 0: 2 is twice as fast. Default: 1.
  public var speed: Double
  /// Whether only the first frame is shown, as a still image. Default: `false`.
  ///
  /// The animation is loaded all the same, for other views; ``AnimationPolicy/firstFrame`` loads only the first frame.
  public var showsFirstFrameOnly: Bool

  /// Creates options.
  ///
  /// - Precondition: `speed` is above 0 and finite, a number of loops at least 1.
  public init(
    playsAutomatically: Bool = true, loopCount: LoopCount = .file, speed: Double = 1, showsFirstFrameOnly: Bool = false
  ) {
    self.playsAutomatically = playsAutomatically
    self.loopCount = loopCount
    self.speed = speed
    self.showsFirstFrameOnly = showsFirstFrameOnly
    check()
  }

  func check() {
    precondition(speed > 0 && speed.isFinite, "speed must be above 0, got \(speed)")
    if case .times(let count) = loopCount { precondition(count > 0, "loopCount must be at least 1, got \(count)") }
  }

  /// The number of frames of an animation, and the number of loops to play.
  func info(of animation: AnimatedImage) -> AnimationInfo {
    check()
    var info = animation.animation
    switch loopCount {
    case .file: break
    case .forever: info.loopCount = nil
    case .times(let count): info.loopCount = count
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
  /// The first frame is shown again, after `count` complete loops.
  case looped(count: Int)
  /// The last frame of the last loop is shown and stays, or the next frame cannot be decoded.
  case finished
}
