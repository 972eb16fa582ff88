import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Playing an animation in a view of a toolkit, with frames of 40 ms.
@MainActor @Suite(.unitTest)
struct AnimationDriverTests {
  private let clock = ManualFrameClock()

  private func player() throws -> AnimationPlayer {
    try #require(AnimationPlayer.shared(for: try AnimatedView.image(frameCount: 3), now: clock.now))
  }

  private func waitForFrame(_ clock: ManualFrameClock) async {
    while clock.time == nil, !Task.isCancelled { await Task.yield() }
  }

  @Test func `a visible view waits for each frame in turn, a hidden one for none`() async throws {
    let driver = AnimationDriver(clock: clock)
    let player = try player()
    driver.player = player
    #expect(clock.time == nil && player.nextFrameTime == nil)
    driver.isVisible = true
    for index in [1, 2, 0] {
      await waitForFrame(clock)
      clock.advance()
      #expect(player.index == index)
    }
    await waitForFrame(clock)
    driver.isVisible = false
    #expect(clock.time == nil && player.nextFrameTime == nil)
    driver.isVisible = true
    await waitForFrame(clock)
    driver.player = nil
    #expect(clock.time == nil && player.nextFrameTime == nil)
  }

  @Test(arguments: [(frameCount: 8, kept: 8), (frameCount: 9, kept: 5)])
  func `up to 32 MiB of frames are all kept, of more only the next ones`(frameCount: Int, kept: Int) async throws {
    let frame = PixelSize(width: 1024, height: 1024)
    let player = try #require(
      AnimationPlayer.shared(for: try AnimatedView.image(frameCount: frameCount, size: frame), now: clock.now))
    let driver = AnimationDriver(clock: clock)
    driver.isVisible = true
    driver.player = player
    for index in 1..<2 * frameCount {
      await waitForFrame(clock)
      clock.advance()
      #expect(player.index == index % frameCount)
      #expect(player.byteCount <= kept * 4 << 20)
    }
    #expect(player.byteCount == kept * 4 << 20)
  }

  @Test func `the view is notified of frames and events`() async throws {
    let driver = AnimationDriver(clock: clock)
    var (frames, events) = ([UInt8](), [AnimationEvent]())
    driver.onFrame = { frames.append($0[0, 0].red) }
    driver.onEvent = { events.append($0) }
    driver.isVisible = true
    driver.player = try player()
    await waitForFrame(clock)
    clock.advance()
    #expect(frames.last == 1)
    #expect(events == [.started, .frameChanged(index: 1)])
  }

  @Test func `a view that shows the same animation in a player of its own loses no frame`() async throws {
    let driver = AnimationDriver(clock: clock)
    driver.isVisible = true
    let shared = try player()
    driver.player = shared
    await waitForFrame(clock)
    clock.advance()
    let own = shared.makeOwn()
    driver.player = own
    #expect(own.index == 1 && own.bitmap[0, 0].red == shared.bitmap[0, 0].red)
    await waitForFrame(clock)
    clock.advance()
    #expect(own.index == 2 && shared.index == 1)
  }

  @Test func `a timer calls at its time, unless it is set again or cancelled`() async throws {
    let time = TestClock()
    let timer = TimerFrameClock(time: time)
    let calls = EventLog<Duration>()
    timer.onFrame = { calls.record($0) }
    let start = time.uptime()
    timer.set(start + .milliseconds(50))
    await time.waitForSleepers()
    timer.set(start + .milliseconds(20))
    await time.waitForSleepers()
    time.advance(by: .milliseconds(20))
    try await calls.waitForEvents(count: 1)
    timer.set(start + .milliseconds(60))
    await time.waitForSleepers()
    timer.cancel()
    time.advance(by: .seconds(1))
    timer.set(start)
    try await calls.waitForEvents(count: 2)
    #expect(calls.events == [start + .milliseconds(20), start + .milliseconds(1020)])
  }
}
