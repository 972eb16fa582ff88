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
  package var finishedLoopCount: Int { max(0, loopsBegun - 1) }
  /// The number of loops that have begun. One that is played backwards begins with the last frame.
  private var loopsBegun: Int
  /// When the next frame is due; `nil` while the animation is paused or over.
  package private(set) var dueTime: Duration?
  /// The remaining duration of the current frame after a pause; `nil` while it is not paused in the middle of a frame.
  private var remainingTime: Duration?
  private var animation: AnimationInfo
  /// The divisor of all durations; below 0 for playing backwards.
  private var speed: Double

  /// Creates a paused timeline at the first frame.
  package init(_ animation: AnimationInfo, speed: Double = 1) {
    self.animation = animation
    self.speed = speed
    loopsBegun = speed < 0 ? 0 : 1
  }

  /// The frame after the current one, or before it where the animation is played backwards; `nil` after the last one of the
  /// last loop.
  package var nextIndex: Int? {
    guard animation.frameCount > 1 else { return nil }
    let next = speed < 0 ? index - 1 : index + 1
    if (0..<animation.frameCount).contains(next) { return next }
    if let loopCount = animation.loopCount, loopsBegun >= loopCount { return nil }
    return firstIndex
  }

  /// The frame with which a loop begins.
  private var firstIndex: Int { speed < 0 ? animation.frameCount - 1 : 0 }

  /// Whether the current frame is the end of the last loop.
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

  /// Changes the number of loops, and the speed also of the current frame, with which a change of direction begins.
  package mutating func change(_ animation: AnimationInfo, speed: Double, at now: Duration) {
    let isRunning = dueTime != nil
    pause(at: now)
    // Converted to the time at normal speed first: the quotient of two speeds may be infinite.
    if let remainingTime {
      self.remainingTime = Self.divided(Self.divided(remainingTime, by: 1 / abs(self.speed)), by: abs(speed))
    }
    // The first frame ends a loop that is played backwards, which has not begun.
    if index == 0, (speed < 0) != (self.speed < 0) { loopsBegun += speed < 0 ? -1 : 1 }
    (self.animation, self.speed) = (animation, speed)
    if isRunning { start(at: now, duration: remainingTime ?? .zero) }
  }

  private func scaled(_ duration: Duration) -> Duration {
    speed == 1 ? duration : Self.divided(duration, by: abs(speed))
  }

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
      if next == firstIndex { loopsBegun += 1 }
      index = next
      // At least 1 ms, since a duration of 0 from a custom decoder would loop forever.
      dueTime = isOver ? nil : due + max(scaled(duration), .milliseconds(1))
      hasMoved = true
    }
    return hasMoved
  }
}
