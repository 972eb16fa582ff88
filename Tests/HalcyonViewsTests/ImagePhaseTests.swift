import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonViews

/// The phases of views that are built from values, as in SwiftUI.
@MainActor @Suite(.unitTest)
struct ImagePhaseTests {
  private func update(_ name: String, in view: ViewFixture) -> ImagePhaseModel.Update {
    var update = ImagePhaseModel.Update(request: view.request(name))
    update.pipeline = view.fixture.pipeline
    update.completion = { [ends = view.ends] in ends.record($0.name) }
    return update
  }

  private func model(_ view: ViewFixture, side: Double = 50) -> ImagePhaseModel {
    let model = ImagePhaseModel(pipeline: view.fixture.pipeline, time: view.clock)
    model.resize(to: ViewSize(width: side, height: side), scale: 2)
    model.isVisible = true
    return model
  }

  @Test func `a load goes from empty over loading to success`() async throws {
    let view = ViewFixture(holding: ["400x200"])
    let model = model(view)
    guard case .empty = model.phase else { throw Unexpected(model.phase) }
    model.apply(update("400x200", in: view))
    #expect(model.phase.isLoading && model.phase.progress == nil && model.phase.image == nil)
    try await view.waitForRequest("400x200")
    view.release("400x200")
    try await view.ends.waitForEvents(count: 1)
    guard case .success(let image) = model.phase else { throw Unexpected(model.phase) }
    #expect(image.size == PixelSize(width: 100, height: 50))
    #expect(model.phase.image != nil && model.phase.error == nil && !model.phase.isLoading)
  }

  @Test func `phases differ in what a view shows of them`() throws {
    let (image, other) = (try solidImage(), try solidImage())
    let progress = LoadProgress(receivedByteCount: 1, expectedByteCount: 2)
    let phases: [ImagePhase] = [
      .empty, .loading(nil), .loading(progress), .preview(image, nil), .preview(image, progress),
      .preview(other, progress), .success(image), .success(other), .failure(.cancelled),
    ]
    for (row, phase) in phases.enumerated() {
      #expect(phases.map { phase.isSame(as: $0) } == phases.indices.map { $0 == row }, "\(phase)")
    }
  }

  @Test func `an image in memory is shown without a phase of loading in between`() async throws {
    let view = ViewFixture()
    try await view.warm("400x200")
    let model = model(view)
    model.apply(update("400x200", in: view))
    #expect(model.phase.image?.size == PixelSize(width: 100, height: 50))
  }

  @Test func `the same request is loaded once, whatever else changes`() async throws {
    let view = ViewFixture()
    let model = model(view)
    for _ in 0..<3 { model.apply(update("40x20", in: view)) }
    try await view.ends.waitForEvents(count: 1)
    model.apply(update("40x20", in: view))
    #expect(view.fixture.transport.requests.count == 1)
    #expect(update("40x20", in: view).identity == update("40x20", in: view).identity)
    #expect(update("40x20", in: view).identity != update("40x21", in: view).identity)
    var others = (0..<3).map { _ in update("40x20", in: view) }
    others[0].mode = .fill
    others[1].pipeline = ViewFixture().fixture.pipeline
    others[2].options.transitionGroup = TransitionGroup()
    for (number, other) in others.enumerated() {
      #expect(other.identity != update("40x20", in: view).identity, "\(number)")
    }
    model.apply(update("44x20", in: view))
    try await view.ends.waitForEvents(count: 2)
    #expect(model.phase.image?.size == PixelSize(width: 44, height: 20))
  }

  @Test func `a failure is a phase, and a tap retries if the options say so`() async throws {
    let view = ViewFixture()
    let model = model(view)
    var update = update("gone", in: view)
    model.apply(update)
    try await view.ends.waitForEvents(count: 1)
    #expect(model.phase.error != nil)
    model.tap()
    #expect(model.phase.error != nil && view.fixture.transport.requests.count == 1)
    update.request = view.request("down")
    update.options.retriesOnTap = true
    model.apply(update)
    try await view.ends.waitForEvents(count: 2)
    model.tap()
    #expect(model.phase.isLoading)
    while model.phase.error == nil { try await Task.yieldUnlessCancelled() }
    #expect(view.fixture.transport.requests.count == 3)
    #expect(view.ends.events.count == 3, "the view is told the result of the retry")
  }

  @Test func `without a size the load waits, without a request the placeholder is shown`() async throws {
    let view = ViewFixture()
    let model = model(view, side: 0)
    model.apply(update("40x20", in: view))
    #expect(view.fixture.transport.requests.isEmpty)
    model.resize(to: ViewSize(width: 10, height: 10), scale: 1)
    try await view.ends.waitForEvents(count: 1)
    #expect(model.phase.image?.size == PixelSize(width: 10, height: 5))
    var empty = ImagePhaseModel.Update(request: nil)
    empty.placeholder = .icon("photo")
    model.apply(empty)
    guard case .empty = model.phase, case .icon = model.content.picture else { throw Unexpected(model.phase) }
    let unscaled = self.model(view)
    unscaled.resize(to: ViewSize(width: 50, height: 50), scale: 0)
    unscaled.apply(update("30x10", in: view))
    #expect(!unscaled.phase.isLoading)
    unscaled.resize(to: ViewSize(width: 50, height: 50), scale: 3)
    #expect(unscaled.phase.isLoading, "a scale is enough")
  }

  @Test func `a view without sides loads once it has been laid out, and a transition ends when it disappears`()
    async throws
  {
    let view = ViewFixture()
    let model = model(view, side: 0)
    var isEnding: (@MainActor () -> Void)?
    model.animate = { _, change, onEnd in
      change()
      isEnding = onEnd
    }
    model.apply(update("40x20", in: view))
    #expect(view.fixture.transport.requests.isEmpty)
    model.resize(to: .zero, scale: 2, isLaidOut: true)
    while model.content.isEmpty { try await Task.yieldUnlessCancelled() }
    #expect(isEnding != nil && view.ends.events.isEmpty)
    model.isVisible = false
    #expect(view.ends.events == ["40x20 from network"])
  }

  @Test func `a hidden view cancels its load only if asked to, and loads again when it is updated`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let model = model(view)
    var update = update("40x20", in: view)
    model.apply(update)
    model.isVisible = false
    #expect(model.phase.isLoading)
    update.cancelsWhenHidden = true
    model.isVisible = true
    model.apply(update)
    model.isVisible = false
    #expect(view.ends.events == ["cancelled"])
    guard case .empty = model.phase else { throw Unexpected(model.phase) }
    view.release("40x20")
    model.isVisible = true
    model.apply(update)
    try await view.ends.waitForEvents(count: 2)
    #expect(model.phase.image != nil)
  }

  @Test func `the transition of an image is animated by the toolkit`() async throws {
    let view = ViewFixture()
    let model = model(view)
    let durations = EventLog<Duration>()
    var end: (@MainActor () -> Void)?
    model.animate = { transition, change, onEnd in
      change()
      end = onEnd
      if case .crossFade(let duration) = transition { durations.record(duration) }
    }
    var update = update("40x20", in: view)
    update.options.transition = .crossFade(.milliseconds(70))
    model.apply(update)
    #expect(try await durations.waitForEvents(count: 1) == [.milliseconds(70)])
    #expect(model.phase.image != nil && view.ends.events.isEmpty)
    end?()
    end?()
    #expect(view.ends.events.count == 1)
    let first = end
    update.request = view.request("30x10")
    model.apply(update)
    try await durations.waitForEvents(count: 2)
    first?()
    #expect(view.ends.events.count == 1, "the late end of an earlier transition")
    end?()
    #expect(view.ends.events.count == 2)
  }

  @Test(arguments: [false, nil] as [Bool?])
  func `an animation plays when its view says so, each frame is a phase, and its end is notified of once`(
    isPlayingFirst: Bool?
  ) async throws {
    let view = ViewFixture()
    let model = model(view)
    let request = ImageRequest(url: view.url("animation"), size: .original)
    view.fixture.pipeline[cached: request] = try AnimatedView.image(frameCount: 2)
    let ends = EventLog<Bool>()
    var update = ImagePhaseModel.Update(request: request)
    update.options.playback = AnimationPlayback(loopCount: .times(1))
    update.options.playback?.playsAutomatically = isPlayingFirst != nil
    update.isPlaying = isPlayingFirst
    update.onPlaybackEnd = { ends.record(true) }
    model.apply(update)
    #expect(model.binder.animation.frameCount == 2)
    #expect(!model.binder.animation.isPlaying)
    update.isPlaying = true
    model.apply(update)
    model.applyPlayback()
    try #require(model.binder.animation.isPlaying)
    await view.clock.waitForSleepers()
    #expect(ends.events.isEmpty, "it has begun")
    view.clock.advance(by: .milliseconds(40))
    try await ends.waitForEvents(count: 1)
    #expect(model.phase.image?.bitmap[0, 0].red == 1)
    #expect(!model.binder.animation.isPlaying)
    let hidden = self.model(view)
    hidden.isVisible = false
    hidden.apply(update)
    #expect(hidden.binder.driver?.isVisible == false)
  }

  @Test func `a side that a view gets from its image is that of the file, and not enlarged`() async throws {
    let view = ViewFixture()
    let model = model(view, side: 0)
    let rows = [
      ("40x20", ViewSize(width: 50, height: 0), ViewSize(width: 20, height: 10)),
      ("400x200", ViewSize(width: 50, height: 0), ViewSize(width: 50, height: 25)),
      ("800x400", ViewSize(width: 0, height: 25), ViewSize(width: 50, height: 25)),
    ]
    for (name, size, ideal) in rows {
      model.resize(to: size, scale: 2)
      model.apply(update(name, in: view))
      try #require(model.phase.isLoading)
      try await view.ends.waitForEvents(count: view.ends.events.count + 1)
      #expect(model.idealSize == ideal, "\(name)")
    }
    model.resize(to: ViewSize(width: 0, height: 50), scale: 2)
    #expect(model.idealSize == ViewSize(width: 100, height: 50), "before the larger image is loaded")
  }

  @Test(
    arguments: [(nil, nil, nil), ("a cat", nil, "could not be loaded"), (nil, "no cat", "no cat")]
      as [(String?, String?, String?)])
  func `a screen reader is told of a failure in place of the image, unless that is decorative`(
    text: String?, failure: String?, told: String?
  ) async throws {
    let view = ViewFixture()
    let model = model(view)
    var update = update("40x20", in: view)
    update.options = ImageViewOptions(alternativeText: text, failureText: failure)
    model.apply(update)
    try await view.ends.waitForEvents(count: 1)
    #expect(model.alternativeText == text)
    #expect(model.failureText == nil)
    update.request = view.request("gone")
    model.apply(update)
    try await view.ends.waitForEvents(count: 2)
    #expect(model.alternativeText == nil)
    #expect((model.failureText != nil) == (told != nil))
    if let told { #expect(model.failureText?.contains(told) == true) }
  }

  @Test func `an image is shown at once where a transition of the program has no view`() async throws {
    let view = ViewFixture()
    let model = model(view)
    let begun = EventLog<Bool>()
    var update = update("40x20", in: view)
    update.options.transition = .custom { _ in begun.record(true) }
    model.apply(update)
    try await view.ends.waitForEvents(count: 1)
    #expect(model.content.name == "image 40x20")
    #expect(begun.events == [])
  }

  private struct Unexpected: Error {
    let phase: ImagePhase
    init(_ phase: ImagePhase) { self.phase = phase }
  }
}
