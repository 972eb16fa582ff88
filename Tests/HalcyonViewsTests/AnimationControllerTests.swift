import Foundation
import HalcyonCache
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import TestSupport
import TestDoubles
import TestTraits
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
    #expect(!view.binder.animation.isPlaying)
    // It plays again from its beginning.
    view.binder.animation.play()
    #expect(view.binder.animation.isPlaying)
    #expect(view.binder.animation.currentFrame == 0)
    try await view.showNextFrame()
    #expect(view.binder.animation.currentFrame == 1)
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
    animation.play()
    try await view.showNextFrame()
    #expect(view.number == 1)
  }

  @Test func `the speed applies to the current frame and the next ones`() async throws {
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
  }

  @Test func `views play in step until one is controlled`() async throws {
    let (first, second) = (try AnimatedView(frameCount: 3), try AnimatedView(frameCount: 3))
    try second.show(first.image, AnimationPlayback())
    #expect(first.animationPlayer === second.animationPlayer)
    try await first.showNextFrame()
    #expect([first.number, second.number] == [1, 1])
    second.binder.animation.pause()
    try await first.showNextFrame()
    #expect([first.number, second.number] == [2, 1])
    #expect(first.binder.animation.isPlaying && !second.binder.animation.isPlaying)
  }

  @Test func `only the first frame is shown if the options say so`() throws {
    let view = try AnimatedView(frameCount: 3, AnimationPlayback(showsFirstFrameOnly: true))
    #expect(view.animationPlayer == nil)
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
}

/// A display of animations that draws nothing.
@MainActor
final class AnimatedView: AnimatedDisplay, AnimationViewer {
  let displaySize = ViewSize(width: 50, height: 50)
  let displayScale = 1.0
  let displayMode = ImageDisplayMode.fit
  var playback = AnimationPlayback()
  var onAnimationEvent: (@MainActor (AnimationEvent) -> Void)?
  var animationPlayer: AnimationPlayer? {
    didSet {
      animationPlayer?.add(self)
      if oldValue !== animationPlayer { oldValue?.remove(self) }
    }
  }

  private(set) lazy var binder = ImageViewBinder(
    display: self, pipeline: PipelineFixture { _ in .response(body: Data()) }.pipeline)
  private(set) var events: [AnimationEvent] = []
  private(set) var image: DecodedImage
  var now = Duration.seconds(100)
  private var waiter: CheckedContinuation<Void, Never>?

  static func image(frameCount: Int, damagedIndex: Int? = nil) throws -> DecodedImage {
    let decoder = NumberedFramesDecoder(frameCount: frameCount, damagedIndex: damagedIndex)
    let still = try decoder.decode(Data(), options: DecodingOptions())
    return DecodedImage(bitmap: still.bitmap, info: still.info, animation: try decoder.image())
  }

  init(frameCount: Int, damagedIndex: Int? = nil, _ playback: AnimationPlayback = AnimationPlayback()) throws {
    image = try Self.image(frameCount: frameCount, damagedIndex: damagedIndex)
    binder.animation.onEvent = { [weak self] event in self?.events.append(event) }
    try show(image, playback)
  }

  /// Sets an image on the view, from memory.
  func show(_ image: DecodedImage, _ playback: AnimationPlayback) throws {
    self.image = image
    var request = ImageRequest(source: .data(Data(), key: "\(ObjectIdentifier(try #require(image.animation)))"))
    request.options.usesOriginalSize = true
    _ = binder.pipeline.cache.memory.store(image, for: binder.pipeline.cacheKey(for: request), expiration: nil)
    binder.setImage(with: request, options: ImageViewOptions(playback: playback))
    #expect(binder.content.role == .image)
  }

  func show(_ content: DisplayContent, transition: ImageTransition) {
    guard let image = content.image else { return }
    animationPlayer = AnimationPlayer.shared(for: image, playback: playback) { [unowned self] in now }
  }

  func showIndicator(_ indicator: LoadingIndicator) {}
  func updateIndicator(_ progress: LoadProgress) {}
  func hideIndicator() {}

  func animationDidChange() { resume() }

  func animationDidSend(_ event: AnimationEvent) {
    onAnimationEvent?(event)
    resume()
  }

  private func resume() {
    waiter?.resume()
    waiter = nil
  }

  /// The number of the frame that is shown.
  var number: Int? { animationPlayer.map { Int($0.bitmap[0, 0].red) } }
  var nextFrameTime: Duration? { animationPlayer?.nextFrameTime }

  /// Waits until a condition holds, which is checked after each change of the animation.
  func until(_ condition: () -> Bool) async throws {
    while !condition() { await withCheckedContinuation { waiter = $0 } }
  }

  func advance() { animationPlayer?.advance(to: now) }

  /// Waits until the next frame is decoded, and advances the clock until it is due.
  func showNextFrame() async throws {
    try await until { nextFrameTime != nil }
    now = try #require(nextFrameTime)
    advance()
  }
}
