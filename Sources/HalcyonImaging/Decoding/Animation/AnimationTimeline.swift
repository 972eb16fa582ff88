/// Which picture of an animation is shown when. A pure value; times are uptimes.
///
/// A picture is shown for exactly its time, counted from when it was due, not from when it was drawn: what is drawn late
/// makes nothing after it late.
package struct AnimationTimeline: Sendable {
  /// Delays that are made up for by showing pictures for a shorter time. After longer ones the animation goes on from
  /// where it stood, as after a computer has slept.
  package static let longestLag = Duration.seconds(1)

  /// The picture that is shown.
  package private(set) var index = 0
  /// How often all pictures have been shown.
  package private(set) var finishedLoopCount = 0
  /// When the next picture is due; `nil` while the animation stands still.
  package private(set) var dueTime: Duration?
  /// What is left of the time of the picture that is shown, while the animation is paused; `nil` before the first.
  private var remainingTime: Duration?
  private let animation: AnimationInfo

  /// Creates a timeline that stands at the first picture.
  package init(_ animation: AnimationInfo) {
    self.animation = animation
  }

  /// The picture after the one that is shown; `nil` after the last one of the last round.
  package var nextIndex: Int? {
    guard animation.frameCount > 1 else { return nil }
    guard index + 1 == animation.frameCount else { return index + 1 }
    if let loopCount = animation.loopCount, finishedLoopCount + 1 >= loopCount { return nil }
    return 0
  }

  /// Whether the last picture of the last round is shown.
  package var isOver: Bool { nextIndex == nil }

  /// Starts, or goes on after a pause.
  ///
  /// - Parameter duration: How long the picture that is shown is shown in all.
  package mutating func start(at now: Duration, duration: Duration) {
    guard dueTime == nil, !isOver else { return }
    dueTime = now + (remainingTime ?? duration)
  }

  /// Stands still until ``start(at:duration:)``.
  package mutating func pause(at now: Duration) {
    guard let dueTime else { return }
    remainingTime = max(.zero, dueTime - now)
    self.dueTime = nil
  }

  /// Goes back to the first picture, which is due for all its time again.
  package mutating func restart() {
    self = AnimationTimeline(animation)
  }

  /// Moves on to the picture that belongs to this time, as far as pictures are there.
  ///
  /// - Parameter duration: How long a picture is shown; `nil` for one that is not decoded yet, before which the timeline
  ///   waits.
  /// - Returns: Whether another picture is to be shown.
  package mutating func advance(to now: Duration, duration: (Int) -> Duration?) -> Bool {
    var hasMoved = false
    while var due = dueTime, due <= now, let next = nextIndex, let duration = duration(next) {
      if now - due > Self.longestLag { due = now }
      if next == 0 { finishedLoopCount += 1 }
      index = next
      // A decoder of somebody else's may say zero, which would never end.
      dueTime = isOver ? nil : due + max(duration, .milliseconds(1))
      hasMoved = true
    }
    return hasMoved
  }
}
