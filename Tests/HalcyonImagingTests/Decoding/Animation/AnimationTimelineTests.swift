import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest) struct AnimationTimelineTests {
  /// Three frames of 100, 50 and 200 ms.
  private static let durations: [Duration] = [.milliseconds(100), .milliseconds(50), .milliseconds(200)]

  private func timeline(loopCount: Int? = nil) -> AnimationTimeline {
    var timeline = AnimationTimeline(AnimationInfo(frameCount: 3, loopCount: loopCount))
    timeline.start(at: .seconds(10), duration: Self.durations[0])
    return timeline
  }

  private func advance(_ timeline: inout AnimationTimeline, to milliseconds: Int) -> Int {
    _ = timeline.advance(to: .seconds(10) + .milliseconds(milliseconds)) { Self.durations[$0] }
    return timeline.index
  }

  @Test func `each frame is shown for exactly its duration`() {
    var timeline = timeline()
    let shown = stride(from: 0, through: 700, by: 10).map { advance(&timeline, to: $0) }
    let expected = stride(from: 0, through: 700, by: 10).map { time in
      switch time % 350 {
      case ..<100: 0
      case ..<150: 1
      default: 2
      }
    }
    #expect(shown == expected)
  }

  @Test func `a frame drawn late does not delay the next ones`() {
    var timeline = timeline()
    #expect(advance(&timeline, to: 140) == 1)
    #expect(timeline.dueTime == .seconds(10) + .milliseconds(150))
    #expect(advance(&timeline, to: 155) == 2)
  }

  @Test func `frames whose time has passed are skipped`() {
    var timeline = timeline()
    #expect(advance(&timeline, to: 160) == 2)
  }

  @Test func `it ends at the last frame of the last loop`() {
    var timeline = timeline(loopCount: 2)
    #expect(advance(&timeline, to: 699) == 2)
    #expect(timeline.isOver)
    #expect(timeline.dueTime == nil)
    #expect(advance(&timeline, to: 5000) == 2)
  }

  @Test func `it waits for a frame that is not decoded yet`() {
    var timeline = timeline()
    #expect(!timeline.advance(to: .seconds(10) + .milliseconds(120)) { _ in nil })
    #expect(timeline.index == 0)
    #expect(advance(&timeline, to: 130) == 1)
  }

  @Test func `a pause does not shorten a frame`() {
    var timeline = timeline()
    timeline.pause(at: .seconds(10) + .milliseconds(70))
    #expect(timeline.dueTime == nil)
    #expect(advance(&timeline, to: 5000) == 0)
    timeline.start(at: .seconds(20), duration: Self.durations[0])
    #expect(timeline.dueTime == .seconds(20) + .milliseconds(30))
  }

  @Test func `a pause after the end of a frame does not shorten the next one`() {
    var timeline = timeline()
    timeline.pause(at: .seconds(10) + .milliseconds(170))
    timeline.start(at: .seconds(20), duration: Self.durations[0])
    #expect(timeline.dueTime == .seconds(20))
  }

  @Test func `after a long delay it continues with the next frame`() {
    var timeline = timeline()
    #expect(advance(&timeline, to: 60_000) == 1)
    #expect(timeline.dueTime == .seconds(70) + .milliseconds(50))
  }

  @Test func `a single frame never advances`() {
    var timeline = AnimationTimeline(AnimationInfo(frameCount: 1, loopCount: nil))
    timeline.start(at: .zero, duration: .milliseconds(10))
    #expect(!timeline.advance(to: .seconds(1)) { _ in .milliseconds(10) })
  }

  @Test(arguments: [1e-300, Double.leastNonzeroMagnitude, 1e-12, 1e300, Double.greatestFiniteMagnitude])
  func `any speed above zero can be set, also while a frame is shown`(speed: Double) {
    let animation = AnimationInfo(frameCount: 3, loopCount: nil)
    var timeline = AnimationTimeline(animation, speed: speed)
    timeline.start(at: .seconds(10), duration: .milliseconds(100))
    let isSlow = speed < 1
    #expect(timeline.dueTime.map { $0 > .seconds(1_000_000) } == isSlow)
    for other in [1, speed, 1e-300, 1e300, 1] {
      timeline.change(animation, speed: other, at: .seconds(10))
      #expect(timeline.dueTime.map { $0 >= .seconds(10) } == true, "\(other)")
    }
    var zero = AnimationTimeline(animation, speed: speed)
    zero.start(at: .seconds(10), duration: .zero)
    #expect(zero.dueTime == .seconds(10))
  }

  @Test func `backwards a loop goes from the last frame to the first`() {
    let animation = AnimationInfo(frameCount: 3, loopCount: 2)
    var timeline = AnimationTimeline(animation, speed: -1)
    timeline.start(at: .seconds(10), duration: Self.durations[0])
    let shown = stride(from: 0, through: 900, by: 50).map { advance(&timeline, to: $0) }
    // The first frame, which a view shows while the others are decoded, and two loops.
    #expect(shown == [0, 0] + [2, 2, 2, 2, 1, 0, 0] + [2, 2, 2, 2, 1, 0] + [0, 0, 0, 0])
    #expect(timeline.isOver && timeline.finishedLoopCount == 1)
    // Forwards again to the end.
    timeline.change(animation, speed: 1, at: .seconds(20))
    timeline.start(at: .seconds(20), duration: Self.durations[0])
    _ = timeline.advance(to: .seconds(20) + .milliseconds(160)) { Self.durations[$0] }
    #expect(timeline.index == 2 && timeline.isOver)
  }

  @Test func `an animation that is turned in the middle ends at its other end`() {
    let animation = AnimationInfo(frameCount: 3, loopCount: 1)
    var timeline = timeline(loopCount: 1)
    #expect(advance(&timeline, to: 120) == 1)
    timeline.change(animation, speed: -2, at: .seconds(10) + .milliseconds(120))
    // The remaining 30 ms at twice the speed.
    #expect(timeline.dueTime == .seconds(10) + .milliseconds(135))
    #expect(advance(&timeline, to: 135) == 0)
    #expect(timeline.isOver)
  }

  @Test func `restarting plays all loops again`() {
    var timeline = timeline(loopCount: 1)
    #expect(advance(&timeline, to: 400) == 2)
    timeline.restart()
    #expect(timeline.index == 0)
    #expect(!timeline.isOver)
  }
}
