import Foundation
import HalcyonCache
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Playing animations in views, with a clock that the test advances. Each frame lasts 40 ms.
@MainActor @Suite(.unitTest)
struct AnimationControllerTests {
  @Test func `an animation plays, loops and finishes, with an event for each`() async throws {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(loopCount: .times(2)))
    #expect(view.binder.animation.frameCount == 3)
    #expect(view.binder.animation.isPlaying)
    for _ in 0..<5 { try await view.showNextFrame() }
    #expect(
      view.events == [
        .started, .frameChanged(index: 1), .frameChanged(index: 2), .looped(count: 1), .frameChanged(index: 0),
        .frameChanged(index: 1), .frameChanged(index: 2), .finished,
      ])
    // The animation plays again from its beginning, each time.
    for _ in 0..<2 {
      #expect(!view.binder.animation.isPlaying)
      view.binder.animation.play()
      try #require(view.binder.animation.isPlaying)
      #expect(view.binder.animation.currentFrame == 0)
      for _ in 0..<5 { try await view.showNextFrame() }
    }
  }

  @Test(arguments: [1, 0, -1])
  func `an animation that is over plays again when its view becomes visible again`(_ loopCount: Int) async throws {
    let view = try AnimatedView(frameCount: 2, AnimationPlayback(loopCount: .times(loopCount)))
    try await view.showNextFrame()
    #expect(!view.binder.animation.isPlaying && view.binder.animation.currentFrame == 1)
    view.binder.isVisible = false
    view.binder.isVisible = true
    #expect(view.binder.animation.isPlaying && view.binder.animation.currentFrame == 0)
  }

  @Test func `without autoplay the first frame is shown until it is played`() async throws {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(playsAutomatically: false))
    let animation = view.binder.animation
    #expect(!animation.isPlaying)
    #expect(view.nextFrameTime == nil && view.events == [])
    animation.play()
    #expect(animation.isPlaying)
    try await view.showNextFrame()
    #expect(animation.currentFrame == 1)
    #expect(view.events == [.started, .frameChanged(index: 1)])
  }

  @Test func `an animated placeholder plays, whatever is wanted of the image`() throws {
    let view = try AnimatedView(frameCount: 2)
    var options = ImageViewOptions(playback: AnimationPlayback(playsAutomatically: false))
    options.placeholderDelay = .zero
    view.binder.hc.setImage(
      with: ImageRequest(source: .data(Data(), key: "none")),
      placeholder: .image(try AnimatedView.image(frameCount: 3)), options: options)
    #expect(view.binder.content.role == .placeholder && view.binder.animation.isPlaying)
  }

  @Test func `a negative speed plays backwards`() async throws {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(loopCount: .times(2), speed: -1))
    for _ in 0..<6 { try await view.showNextFrame() }
    let loop: [AnimationEvent] = [.frameChanged(index: 2), .frameChanged(index: 1), .frameChanged(index: 0)]
    #expect(view.events == [.started] + loop + [.looped(count: 1)] + loop + [.finished])
    #expect(view.binder.animation.speed == -1)
    let once = try AnimatedView(frameCount: 3, AnimationPlayback(loopCount: .times(0), speed: -1))
    #expect(once.binder.animation.isPlaying)
  }

  @Test func `a paused animation does not start when its speed is changed`() async throws {
    let view = try AnimatedView(frameCount: 3)
    let animation = view.binder.animation
    try await view.showNextFrame()
    animation.pause()
    animation.speed = 3
    #expect(!animation.isPlaying && view.nextFrameTime == nil)
    view.now += .seconds(60)
    view.advance()
    #expect(animation.currentFrame == 1)
  }

  @Test func `a hidden animation and a replaced one show no frames`() async throws {
    let view = try AnimatedView(frameCount: 3)
    try await view.showNextFrame()
    view.binder.isVisible = false
    #expect(view.nextFrameTime == nil)
    view.now += .seconds(60)
    view.advance()
    #expect(view.number == 1)
    view.binder.isVisible = true
    try await view.until { view.nextFrameTime != nil }
    view.binder.hc.setImage(with: nil)
    #expect(view.nextFrameTime == nil && view.binder.animation.frameCount == 0)
    view.now += .seconds(60)
    view.advance()
    #expect(view.number == nil)
  }

  @Test func `the animation of a view that has ended plays no more`() throws {
    let view = try AnimatedView(frameCount: 3)
    #expect(view.binder.driver?.isVisible == true)
    view.binder.end()
    for isVisible in [false, true] {
      view.binder.isVisible = isVisible
      #expect(view.binder.driver?.isVisible == false)
    }
  }

  @Test func `a paused animation stays at its frame for the rest of its duration`() async throws {
    let view = try AnimatedView(frameCount: 3)
    let animation = view.binder.animation
    try await view.showNextFrame()
    view.now += .milliseconds(30)
    animation.pause()
    #expect(!animation.isPlaying && view.nextFrameTime == nil)
    view.now += .seconds(60)
    view.advance()
    #expect(animation.currentFrame == 1)
    animation.play()
    try await view.until { view.nextFrameTime != nil }
    #expect(view.nextFrameTime == view.now + .milliseconds(10))
    #expect(view.events == [.started, .frameChanged(index: 1), .started])
  }

  @Test func `a stopped animation shows its first frame, and plays from there`() async throws {
    let view = try AnimatedView(frameCount: 3)
    let animation = view.binder.animation
    for _ in 0..<2 { try await view.showNextFrame() }
    #expect(view.number == 2)
    animation.stop()
    #expect(animation.currentFrame == 0 && view.number == 0)
    #expect(view.events.last == .frameChanged(index: 0))
    let events = view.events
    animation.stop()
    #expect(view.events == events, "it was at its first frame")
    animation.play()
    try await view.showNextFrame()
    #expect(view.number == 1)
  }

  @Test func `the speed applies to the current frame and the next ones, the number of loops to all`() async throws {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(speed: 2))
    try await view.until { view.nextFrameTime != nil }
    #expect(view.nextFrameTime == view.now + .milliseconds(20))
    view.now += .milliseconds(10)
    view.binder.animation.speed = 0.5
    try await view.until { view.nextFrameTime != nil }
    #expect(view.nextFrameTime == view.now + .milliseconds(40), "half of the frame is left")
    #expect(view.binder.animation.speed == 0.5)
    view.binder.animation.loopCount = .forever
    for _ in 0..<7 { try await view.showNextFrame() }
    #expect(view.binder.animation.currentFrame == 1)
    // The two loops that have ended count.
    view.binder.animation.loopCount = .times(3)
    #expect(view.binder.animation.loopCount == .times(3))
    try await view.showNextFrame()
    #expect(view.binder.animation.currentFrame == 2)
    #expect(view.events.last == .finished && !view.binder.animation.isPlaying)
  }

  @Test func `views play in step until one is controlled`() async throws {
    let (first, second) = (try AnimatedView(frameCount: 3), try AnimatedView(frameCount: 3))
    try second.show(first.image, AnimationPlayback())
    // It has that speed already.
    second.binder.animation.speed = 1
    #expect(first.binder.driver?.player === second.binder.driver?.player)
    try await first.showNextFrame()
    #expect([first.number, second.number] == [1, 1])
    second.binder.animation.pause()
    try await first.showNextFrame()
    #expect([first.number, second.number] == [2, 1])
    #expect(first.binder.animation.isPlaying && !second.binder.animation.isPlaying)
  }

  @Test func `a view that joins an animation is told that it plays, and begins none again that is over`() async throws {
    let playback = AnimationPlayback(loopCount: .times(1))
    let (first, second) = (try AnimatedView(frameCount: 3, playback), try AnimatedView(frameCount: 3))
    try await first.showNextFrame()
    let count = second.events.count
    try second.show(first.image, playback)
    #expect(second.events.dropFirst(count) == [.started])
    #expect(second.number == 1)
    try await first.showNextFrame()
    #expect(!first.binder.animation.isPlaying)
    let third = try AnimatedView(frameCount: 3)
    let countOfThird = third.events.count
    try third.show(first.image, playback)
    #expect(third.number == 2)
    #expect(third.events.count == countOfThird)
    #expect(!first.binder.animation.isPlaying && !third.binder.animation.isPlaying)
  }

  @Test func `frames that are late are skipped, and the one that is due is shown`() async throws {
    let view = try AnimatedView(frameCount: 4)
    for _ in 0..<4 { try await view.showNextFrame() }
    try await view.until { view.nextFrameTime != nil }
    view.now += .milliseconds(100)
    view.advance()
    #expect(view.number == 2)
    #expect(view.events.last == .frameChanged(index: 2))
  }

  @Test func `only the first frame is shown if the options say so`() throws {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(showsFirstFrameOnly: true))
    #expect(view.binder.driver?.player == nil)
    #expect(view.binder.animation.frameCount == 0)
    view.binder.animation.play()
    #expect(!view.binder.animation.isPlaying && view.events == [])
  }

  @Test func `an animation whose next frame is damaged finishes at the frame before`() async throws {
    let view = try AnimatedView(frameCount: 3, damagedIndex: 1)
    try await view.until { view.events.contains(.finished) }
    #expect(view.events == [.started, .finished])
    #expect(view.binder.animation.currentFrame == 0)
  }

  @Test func `another image plays as its options say, whatever was done with the last one`() async throws {
    let view = try AnimatedView(frameCount: 3)
    view.binder.animation.pause()
    try view.show(try AnimatedView.image(frameCount: 2), AnimationPlayback())
    #expect(view.binder.animation.isPlaying)
    #expect(view.binder.animation.frameCount == 2)
  }

  @Test func `an image that a hidden view has released plays as its options say when the view is visible again`() throws
  {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(speed: 3), onlyWhileVisible: true)
    view.binder.animation.speed = 1
    view.binder.isVisible = false
    #expect(view.binder.animation.frameCount == 0)
    view.binder.isVisible = true
    #expect(view.binder.animation.speed == 3)
  }

  @Test func `a completion can pause the animation`() throws {
    let view = try AnimatedView(frameCount: 3)
    try view.show(try AnimatedView.image(frameCount: 2), AnimationPlayback()) { view.binder.animation.pause() }
    #expect(view.binder.animation.frameCount == 2 && !view.binder.animation.isPlaying)
  }

  @Test func `a display without a frame clock is driven by the clock of its pipeline`() async throws {
    let clock = TestClock()
    let display = PlainAnimatedDisplay()
    let fixture = PipelineFixture(configure: { $0.time = clock }) { _ in .response(body: Data()) }
    let binder = ImageViewBinder(display: display, pipeline: fixture.pipeline)
    let image = try AnimatedView.image(frameCount: 3)
    let request = ImageRequest(source: .data(Data(), key: "animation"), size: .fit(width: 10, height: 10))
    _ = fixture.memory.store(image, for: fixture.pipeline.cacheKey(for: request), expiration: nil)
    binder.hc.setImage(with: request)
    for number in 2...3 {
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(40))
      try await display.frames.waitForEvents(count: number)
    }
    #expect(display.frames.events == [0, 1, 2])
    binder.isVisible = false
    #expect(clock.sleeperCount == 0)
  }
}

/// A display as a program writes it for a toolkit of its own.
@MainActor
private final class PlainAnimatedDisplay: AnimatedDisplay {
  let displaySize = ViewSize(width: 10, height: 10)
  let displayScale = 1.0
  let displayMode = ImageDisplayMode.fit
  /// The numbers of the frames shown.
  let frames = EventLog<Int>()

  func show(_ content: DisplayContent, transition: ImageTransition) {}
  func showFrame(_ frame: Bitmap) { frames.record(Int(frame[0, 0].red)) }
  func showIndicator(_ indicator: LoadingIndicator) {}
  func updateIndicator(_ progress: LoadProgress) {}
  func hideIndicator() {}
}

/// A display of animations that draws nothing.
@MainActor
final class AnimatedView: ClockedDisplay {
  let displaySize = ViewSize(width: 50, height: 50)
  let displayScale = 1.0
  let displayMode = ImageDisplayMode.fit

  private(set) lazy var binder = ImageViewBinder(
    display: self, pipeline: PipelineFixture { _ in .response(body: Data()) }.pipeline)
  private(set) var events: [AnimationEvent] = []
  private(set) var image: DecodedImage
  private var frame: Bitmap?
  private let clock = ManualFrameClock()
  private let onlyWhileVisible: Bool
  private var waiter: CheckedContinuation<Void, Never>?

  static func image(
    frameCount: Int, size: PixelSize = PixelSize(width: 1, height: 1), damagedIndex: Int? = nil
  ) throws -> DecodedImage {
    let decoder = NumberedFramesDecoder(frameCount: frameCount, size: size, damagedIndex: damagedIndex)
    let still = try decoder.decode(Data(), options: DecodingOptions())
    return DecodedImage(bitmap: still.bitmap, info: still.info, animation: try decoder.image())
  }

  init(
    frameCount: Int, damagedIndex: Int? = nil, _ playback: AnimationPlayback = AnimationPlayback(),
    onlyWhileVisible: Bool = false
  ) throws {
    image = try Self.image(frameCount: frameCount, damagedIndex: damagedIndex)
    self.onlyWhileVisible = onlyWhileVisible
    clock.onChange = { [weak self] in self?.resume() }
    binder.animation.onEvent = { [weak self] event in
      self?.events.append(event)
      self?.resume()
    }
    try show(image, playback)
  }

  /// Sets an image on the view, from memory.
  func show(
    _ image: DecodedImage, _ playback: AnimationPlayback, completion: @escaping @MainActor () -> Void = {}
  ) throws {
    self.image = image
    let key = "\(ObjectIdentifier(try #require(image.animation)))"
    let request = ImageRequest(source: .data(Data(), key: key), size: .original)
    _ = binder.pipeline.cache.memory.store(image, for: binder.pipeline.cacheKey(for: request), expiration: nil)
    binder.hc.setImage(
      with: request, options: ImageViewOptions(onlyWhileVisible: onlyWhileVisible, playback: playback)
    ) { _ in completion() }
    #expect(binder.content.role == .image)
  }

  func makeFrameClock() -> any FrameClock { clock }

  func show(_ content: DisplayContent, transition: ImageTransition) { frame = content.image?.bitmap }

  func showFrame(_ frame: Bitmap) {
    self.frame = frame
    resume()
  }

  func showIndicator(_ indicator: LoadingIndicator) {}
  func updateIndicator(_ progress: LoadProgress) {}
  func hideIndicator() {}

  private func resume() {
    waiter?.resume()
    waiter = nil
  }

  /// The number of the frame that is shown.
  var number: Int? { frame.map { Int($0[0, 0].red) } }
  var nextFrameTime: Duration? { clock.time }

  var now: Duration {
    get { clock.current }
    set { clock.current = newValue }
  }

  /// Waits until a condition holds, which is checked after each change of the animation.
  func until(_ condition: () -> Bool) async throws {
    while !condition() { await withCheckedContinuation { waiter = $0 } }
  }

  func advance() { clock.onFrame?(now) }

  /// Waits until the next frame is decoded, and advances the clock until it is due.
  func showNextFrame() async throws {
    try await until { nextFrameTime != nil }
    now = try #require(nextFrameTime)
    advance()
  }
}

/// A frame clock that the test moves.
@MainActor
final class ManualFrameClock: FrameClock {
  var current = Duration.seconds(100)
  var now: @MainActor () -> Duration { { self.current } }
  var onFrame: (@MainActor (Duration) -> Void)?
  /// Called when the time that is waited for has changed.
  var onChange: @MainActor () -> Void = {}
  private(set) var time: Duration? { didSet { onChange() } }

  func set(_ time: Duration) { self.time = time }
  func cancel() { time = nil }

  /// Moves to the time that is waited for.
  func advance() {
    guard let time else { return }
    current = time
    self.time = nil
    onFrame?(time)
  }
}
