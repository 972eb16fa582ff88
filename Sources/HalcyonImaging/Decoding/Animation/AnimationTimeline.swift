import HalcyonSupport

/// The playback position of an animation over time. A pure value; times are uptimes.
///
/// A frame is shown for exactly its duration, counted from its due time, not from when it was drawn: a frame drawn late
/// does not delay the next ones.
package struct AnimationTimeline: Sendable {
  /// The longest delay that playback catches up with by shortening frames.
  ///
  /// After a longer one, for example after the computer slept, it continues with the next frame.
  private static let longestLag = Duration.seconds(1)
  /// The longest time that a frame is shown, 30 years, so that no speed above 0 exceeds the range of times.
  private static let longestTime = 1e9

  /// The current frame.
  package private(set) var index = 0
  /// The number of completed loops.
  package private(set) var finishedLoopCount = 0
  /// When the next frame is due; `nil` while the animation is paused or over.
  package private(set) var dueTime: Duration?
  /// The remaining duration of the current frame after a pause; `nil` while it is not paused in the middle of a frame.
  private var remainingTime: Duration?
  private var animation: AnimationInfo
  /// The divisor of all durations, above 0.
  private var speed: Double

  /// Creates a paused timeline at the first frame.
  package init(_ animation: AnimationInfo, speed: Double = 1) {
    self.animation = animation
    self.speed = speed
  }

  /// The frame after the current one; `nil` after the last frame of the last loop.
  package var nextIndex: Int? {
    guard animation.frameCount > 1 else { return nil }
    guard index + 1 == animation.frameCount else { return index + 1 }
    if let loopCount = animation.loopCount, finishedLoopCount + 1 >= loopCount { return nil }
    return 0
  }

  /// Whether the current frame is the last one of the last loop.
  package var isOver: Bool { nextIndex == nil }

  /// Starts, or resumes after a pause.
  ///
  /// - Parameter duration: The full duration of the current frame.
  package mutating func start(at now: Duration, duration: Duration) {
    guard dueTime == nil, !isOver else { return }
    dueTime = now + (remainingTime ?? scaled(duration))
    remainingTime = nil
  }

  /// Pauses until ``start(at:duration:)``.
  package mutating func pause(at now: Duration) {
    guard let dueTime else { return }
    remainingTime = max(.zero, dueTime - now)
    self.dueTime = nil
  }

  /// Returns to the first frame and the first loop, paused.
  package mutating func restart() {
    self = AnimationTimeline(animation, speed: speed)
  }

  /// Changes the number of loops, and the speed also of the current frame.
  package mutating func change(_ animation: AnimationInfo, speed: Double, at now: Duration) {
    let isRunning = dueTime != nil
    pause(at: now)
    // Converted to the time at normal speed first: the quotient of two speeds may be infinite.
    if let remainingTime {
      self.remainingTime = Self.divided(Self.divided(remainingTime, by: 1 / self.speed), by: speed)
    }
    (self.animation, self.speed) = (animation, speed)
    if isRunning { start(at: now, duration: remainingTime ?? .zero) }
  }

  private func scaled(_ duration: Duration) -> Duration { speed == 1 ? duration : Self.divided(duration, by: speed) }

  private static func divided(_ duration: Duration, by divisor: Double) -> Duration {
    let seconds = duration.inSeconds / divisor
    return seconds < longestTime ? duration / divisor : duration > .zero ? .seconds(longestTime) : .zero
  }

  /// Advances to the frame for this time, as far as frames are decoded.
  ///
  /// - Parameter duration: Returns the duration of a frame, or `nil` if it is not decoded yet, which stops the timeline
  ///   before it.
  /// - Returns: Whether the current frame has changed.
  package mutating func advance(to now: Duration, duration: (Int) -> Duration?) -> Bool {
    var hasMoved = false
    while var due = dueTime, due <= now, let next = nextIndex, let duration = duration(next) {
      if now - due > Self.longestLag { due = now }
      if next == 0 { finishedLoopCount += 1 }
      index = next
      // At least 1 ms, since a duration of 0 from a custom decoder would loop forever.
      dueTime = isOver ? nil : due + max(scaled(duration), .milliseconds(1))
      hasMoved = true
    }
    return hasMoved
  }
}
