import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTesting
import TestSupport
import Testing

@MainActor
struct ImageViewBinderTests {
  @Test func `an image in memory is shown before setImage returns`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    let load = view.set("40x20") { $0.indicator = .activity }
    #expect(load == nil)
    #expect(view.display.log.events == ["image 40x20"])
    #expect(view.ends.events == ["40x20 from memory"])
    #expect(!view.binder.isLoading)
    #expect(view.binder.content.name == "image 40x20")
  }

  @Test func `an image that is loaded is shown, and its end is told once`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let load = try #require(view.set("40x20"))
    #expect(view.binder.isLoading && !load.isFinished)
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(!view.binder.isLoading && load.isFinished)
    load.cancel()
    view.binder.cancel()
    #expect(view.ends.events == ["40x20 from network"])
    #expect(view.display.log.events.first == "expects 40x20")
    #expect(view.display.events == ["image 40x20"])
  }

  @Test func `no address shows the placeholder and says that there is nothing to load`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    let load = view.binder.setImage(
      with: nil, placeholder: .icon("dots"), completion: { [ends = view.ends] in ends.record($0.name) },
      progress: { _ in Issue.record("there is no progress") })
    #expect(load == nil)
    #expect(view.display.events == ["image 40x20", "placeholder dots"])
    #expect(view.ends.events == ["40x20 from network", "empty source"])
    view.binder.setImage(with: nil)
    #expect(view.binder.content.isEmpty)
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a view that is given another image never shows the first, whose load is cancelled`() async throws {
    let view = ViewFixture(holding: ["40x20", "30x10"])
    view.set("40x20")
    try await view.waitForRequest("40x20")
    view.set("30x10")
    #expect(view.ends.events == ["superseded with cancelled"])
    try await view.cancelled.waitForEvents(count: 1)
    view.release("40x20")
    view.release("30x10")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["superseded with cancelled", "30x10 from network"])
    #expect(view.display.events == ["image 30x10"])
    #expect(view.cancelled.events == ["40x20"])
  }

  @Test func `a superseded load may go on, and tells its image without showing it`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20") { $0.whenSuperseded = .finish }
    try await view.waitForRequest("40x20")
    try await view.load("30x10")
    view.release("40x20")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["30x10 from network", "superseded with 40x20"])
    #expect(view.display.events == ["image 30x10"])
  }

  @Test func `what was there before the view was given something else is told`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20") { $0.placeholderDelay = .seconds(1) }
    await view.clock.waitForSleepers()
    view.clock.advance(by: .seconds(1))
    try await view.display.log.waitForEvents(count: 1)
    view.release("40x20")
    await view.clock.waitForSleepers()
    view.set("30x10")
    #expect(view.ends.events == ["superseded with 40x20"])
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["superseded with 40x20", "30x10 from network"])
    #expect(view.display.events == ["placeholder dots", "nothing", "image 30x10"])
  }

  @Test func `the same address with another processor is another image`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var request = view.request("40x20")
    view.set(request)
    request.processors = [.crop(width: 10, height: 10)]
    #expect(!view.binder.isBound(to: request))
    view.set(request)
    view.release("40x20")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["superseded with cancelled", "10x10 from network"])
    #expect(view.display.events == ["image 10x10"])
    #expect(view.binder.isBound(to: request))
  }

  @Test func `a load is cancelled without its address, at once and once`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20") { $0.indicator = .activity }
    try await view.waitForRequest("40x20")
    view.binder.cancel()
    #expect(view.ends.events == ["cancelled"])
    #expect(!view.binder.isLoading)
    view.binder.cancel()
    try await view.cancelled.waitForEvents(count: 1)
    #expect(view.ends.events == ["cancelled"])
    #expect(view.display.events == ["indicator activity", "no indicator"])
    #expect(view.clock.sleeperCount == 0)
  }

  @Test func `what is cancelled by its handle leaves the image that came after it alone`() async throws {
    let view = ViewFixture(holding: ["40x20", "30x10"])
    let first = try #require(view.set("40x20") { $0.whenSuperseded = .finish })
    view.set("30x10") { $0.indicator = .activity }
    first.cancel()
    #expect(view.ends.events == ["cancelled"])
    view.release("30x10")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.display.events == ["indicator activity", "no indicator", "image 30x10"])
  }

  @Test func `a view that goes away cancels its load, and the end is still told`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var binder: ImageViewBinder? = ImageViewBinder(
      display: view.display, pipeline: view.fixture.pipeline, time: view.clock)
    view.set("40x20", on: binder)
    try await view.waitForRequest("40x20")
    await view.clock.waitForSleepers()
    weak let released = binder
    binder = nil
    #expect(released == nil)
    try await view.ends.waitForEvents(count: 1)
    try await view.cancelled.waitForEvents(count: 1)
    #expect(view.ends.events == ["superseded with cancelled"])
    #expect(view.display.log.events == [])
  }

  @Test func `an image whose display is gone is told and not shown`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var display: RecordingDisplay? = RecordingDisplay()
    let binder = ImageViewBinder(
      display: try #require(display), pipeline: view.fixture.pipeline, time: view.clock)
    view.set("40x20", on: binder)
    display = nil
    #expect(binder.display == nil)
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.ends.events == ["superseded with 40x20"])
  }

  @Test func `a completion may give the view another image`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.binder.setImage(with: view.url("40x20")) { [ends = view.ends] in
      ends.record($0.name)
      view.set("30x10")
    }
    view.set("20x20")
    try await view.ends.waitForEvents(count: 3)
    #expect(view.ends.events == ["superseded with cancelled", "superseded with cancelled", "30x10 from network"])
    #expect(view.display.events == ["image 30x10"])
  }

  @Test func `a placeholder that cancels its own load starts none`() async throws {
    let view = ViewFixture()
    let placeholder = ImagePlaceholder.view { [binder = view.binder] in
      binder.cancel()
      return 1
    }
    view.set("40x20", placeholder: placeholder) { $0.placeholderDelay = .zero }
    #expect(view.ends.events == ["cancelled"])
    #expect(view.fixture.pipeline.activeLoadCount == 0)
    try await view.load("30x10")
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `progress is told as long as the view wants the image`() async throws {
    let gate = Gate()
    let fixture = PipelineFixture { _ in
      .answer(body: SolidImage(width: 40, height: 20).data, pieceByteCount: 10) { try? await gate.wait() }
    }
    let display = RecordingDisplay()
    let binder = ImageViewBinder(display: display, pipeline: fixture.pipeline, time: TestClock())
    let seen = EventLog<Int>()
    let ends = EventLog<String>()
    var options = ImageViewOptions()
    options.whenSuperseded = .finish
    binder.setImage(with: fixture.url, options: options) {
      ends.record($0.name)
    } progress: {
      seen.record($0.receivedByteCount)
    }
    try await seen.waitForEvents(count: 1)
    binder.setImage(with: nil)
    let count = seen.events.count
    gate.open()
    try await ends.waitForEvents(count: 1)
    #expect(ends.events == ["superseded with 40x20"])
    #expect(seen.events.count == count)
  }
}
