import HalcyonCache
import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The mode of a display that changes: the image is decoded for the last one, from the caches.
@Suite(.unitTest)
@MainActor
struct ViewModeTests {
  enum Moment: CaseIterable, Sendable { case before, whileLoading, shown }
  enum Adapter: CaseIterable, Sendable { case display, model }

  private static let modes = [ImageDisplayMode.fit, .fill, .stretch]
  /// The size of an image of 600x200 pixels that is decoded for 100x100 pixels.
  private static let sizes: [ImageDisplayMode: PixelSize] = [
    .fit: PixelSize(width: 100, height: 33), .fill: PixelSize(width: 100, height: 100),
    .stretch: PixelSize(width: 300, height: 100),
  ]

  /// A view of 50x50 points at a scale of 2.
  private struct TestedView {
    let set: @MainActor (ImageDisplayMode) -> Void
    let setMode: @MainActor (ImageDisplayMode) -> Void
    let size: @MainActor () -> PixelSize?
  }

  private func view(_ adapter: Adapter, _ fixture: ViewFixture) -> TestedView {
    guard adapter == .model else {
      return TestedView(
        set: { mode in
          fixture.display.displayMode = mode
          fixture.set("600x200")
        },
        setMode: { mode in
          fixture.display.displayMode = mode
          fixture.binder.displayDidChange()
        }, size: { fixture.binder.content.image?.size })
    }
    let model = ImagePhaseModel(pipeline: fixture.fixture.pipeline, time: fixture.clock)
    model.resize(to: ViewSize(width: 50, height: 50), scale: 2)
    var update = ImagePhaseModel.Update(request: fixture.request("600x200"))
    update.pipeline = fixture.fixture.pipeline
    update.completion = { [ends = fixture.ends] in ends.record($0.name) }
    let set: @MainActor (ImageDisplayMode) -> Void = { mode in
      var update = update
      update.mode = mode
      model.apply(update)
    }
    return TestedView(set: set, setMode: set, size: { model.content.image?.size })
  }

  @Test(arguments: Adapter.allCases, Moment.allCases)
  func `an image is decoded for the last mode, without another download`(
    adapter: Adapter, moment: Moment
  ) async throws {
    for (first, last) in Self.modes.flatMap({ first in Self.modes.map { (first, $0) } }) {
      let fixture = ViewFixture(holding: ["600x200"])
      let view = view(adapter, fixture)
      view.set(moment == .before ? last : first)
      try await fixture.waitForRequest("600x200")
      if moment == .whileLoading { view.setMode(last) }
      fixture.release("600x200")
      try await fixture.ends.waitForEvents(count: 1)
      if moment == .shown { view.setMode(last) }
      while view.size() != Self.sizes[last] { try await Task.yieldUnlessCancelled() }
      while fixture.fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
      #expect(view.size() == Self.sizes[last], "from \(first) to \(last)")
      #expect(fixture.fixture.transport.requests.count == 1 && fixture.ends.events.count == 1)
    }
  }

  @Test func `an image of another mode in memory is shown before the change of mode returns`() async throws {
    let view = ViewFixture()
    try await view.warm("600x200", size: .fill(width: 100, height: 100))
    try await view.load("600x200")
    view.display.displayMode = .fill
    view.binder.displayDidChange()
    #expect(view.display.events == ["image 100x33", "image 100x100"])
  }

  @Test func `an image that no cache has stays when the mode changes`() async throws {
    let view = ViewFixture { $0.cache = ImageCache(disk: nil) }
    try await view.load("600x200")
    view.display.displayMode = .fill
    view.binder.displayDidChange()
    while view.fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
    #expect(view.fixture.transport.requests.count == 1 && view.display.events == ["image 100x33"])
  }

  @Test func `a hidden view follows a change of its mode when it is visible again`() async throws {
    let view = ViewFixture()
    try await view.load("600x200")
    view.binder.isVisible = false
    view.display.displayMode = .stretch
    view.binder.displayDidChange()
    #expect(!view.binder.isLoading && view.fixture.pipeline.activeJobCount == 0)
    view.binder.isVisible = true
    try await view.display.waitForShow("image 300x100")
  }

  @Test func `a view that is hidden before it has rested loads no larger image`() async throws {
    let view = ViewFixture()
    try await view.load("600x200")
    view.display.displaySize = ViewSize(width: 100, height: 100)
    view.binder.displayDidChange()
    await view.clock.waitForSleepers()
    view.binder.isVisible = false
    #expect(view.clock.sleeperCount == 0)
    view.binder.isVisible = true
    await view.rest()
    try await view.display.waitForShow("image 200x67")
  }

  @Test func `a view that changes its size in each frame decodes its last size only`() async throws {
    let view = ViewFixture()
    try await view.load("600x200")
    for side in stride(from: 60.0, through: 150, by: 10) {
      view.display.displaySize = ViewSize(width: side, height: side)
      view.binder.displayDidChange()
      await view.clock.waitForSleepers()
      view.clock.advance(by: .milliseconds(16))
    }
    #expect(view.fixture.decoder.decodedSizes.count == 1)
    await view.clock.waitForSleepers()
    // Layouts that change nothing do not postpone it.
    for _ in 0..<3 {
      view.clock.advance(by: .milliseconds(50))
      view.binder.displayDidChange()
    }
    try await view.display.waitForShow("image 300x100")
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 100, height: 100), .fit(width: 300, height: 300)])
  }
}
