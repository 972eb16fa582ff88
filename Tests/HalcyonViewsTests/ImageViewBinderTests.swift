import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonPipeline
import HalcyonViews
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
@MainActor
struct ImageViewBinderTests {
  @Test func `a loaded image is shown, and its completion is called once`() async throws {
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

  @Test func `a nil source shows the placeholder and completes with emptySource`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    let load = view.binder.hc.setImage(
      with: nil, placeholder: .icon("dots"), completion: { [ends = view.ends] in ends.record($0.name) })
    #expect(load == nil)
    #expect(view.display.events == ["image 40x20", "placeholder dots"])
    #expect(view.ends.events == ["40x20 from network", "empty source"])
    view.binder.hc.setImage(with: nil)
    #expect(view.binder.content.isEmpty && view.binder.retry() == nil)
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `setting another image cancels the first load, and the first image is never shown`() async throws {
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

  @Test func `a superseded load can finish, and its completion receives an image that is not shown`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20") { $0.finishesSuperseded = true }
    try await view.waitForRequest("40x20")
    try await view.load("30x10")
    view.release("40x20")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["30x10 from network", "superseded with 40x20"])
    #expect(view.display.events == ["image 30x10"])
  }

  @Test func `an image that arrived before it was superseded is passed to its completion`() async throws {
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

  @Test func `the same URL with another processor is another image`() async throws {
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

  @Test func `cancelling a view cancels its load at once, and completes it once`() async throws {
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
    view.release("40x20")
    try #require(view.binder.retry() != nil)
    try await view.display.waitForShow("image 40x20")
    #expect(view.ends.events == ["cancelled"])
  }

  @Test func `a view that has ended completes its load at once, although that goes on, and loads nothing any more`()
    async throws
  {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20") {
      $0.finishesSuperseded = true
      $0.indicator = .activity
    }
    try await view.waitForRequest("40x20")
    view.binder.end()
    #expect(view.ends.events == ["superseded with cancelled"])
    #expect(view.set("30x10") == nil)
    #expect(view.ends.events == ["superseded with cancelled", "superseded with cancelled"])
    #expect(view.display.events == ["indicator activity", "no indicator"])
    view.release("40x20")
  }

  @Test func `a view that has ended completes its superseded loads, too`() {
    let view = ViewFixture(holding: ["40x20", "30x10"])
    for name in ["40x20", "30x10"] { view.set(name) { $0.finishesSuperseded = true } }
    #expect(view.ends.events == [])
    view.binder.end()
    #expect(view.ends.events == ["superseded with cancelled", "superseded with cancelled"])
    for name in ["40x20", "30x10"] { view.release(name) }
  }

  @Test func `cancelling a superseded load by its handle does not affect the current load`() async throws {
    let view = ViewFixture(holding: ["40x20", "30x10"])
    let first = try #require(view.set("40x20") { $0.finishesSuperseded = true })
    view.set("30x10") { $0.indicator = .activity }
    first.cancel()
    #expect(view.ends.events == ["cancelled"])
    view.release("30x10")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.display.events == ["indicator activity", "no indicator", "image 30x10"])
  }

  @Test func `releasing a view cancels its load, and its completion is still called`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var binder: ImageViewBinder? = ImageViewBinder(
      display: view.display, time: view.clock
    ) { view.fixture.pipeline }
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

  @Test func `the load of a released view can finish, to fill the caches`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var binder: ImageViewBinder? = ImageViewBinder(
      display: view.display, time: view.clock
    ) { view.fixture.pipeline }
    view.set("40x20", on: binder) { $0.finishesSuperseded = true }
    try await view.waitForRequest("40x20")
    binder = nil
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.ends.events == ["superseded with 40x20"])
    #expect(view.cancelled.events == [])
    #expect(view.display.events == [])
  }

  @Test func `events are sent for images in memory, in views and from cachedImage`() async throws {
    let events = EventLog<String>()
    let view = ViewFixture { $0.eventHandler = { events.record("\($0.load ?? 0) \($0.kind)") } }
    try await view.warm("40x20")
    let count = events.events.count
    view.set("40x20")
    var request = view.request("40x20")
    request.size = .fit(width: 100, height: 100)
    #expect(view.fixture.pipeline[cached: request] != nil)
    let expected = ["created", "started", "memory hit", "finished: memory"]
    #expect(Array(events.events[count...]) == expected.map { "2 \($0)" } + expected.map { "3 \($0)" })
  }

  @Test func `after the display is released, the completion still receives the image`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var display: RecordingDisplay? = RecordingDisplay()
    let binder = ImageViewBinder(
      display: try #require(display), time: view.clock
    ) { view.fixture.pipeline }
    view.set("40x20", on: binder)
    display = nil
    #expect(binder.display == nil)
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.ends.events == ["superseded with 40x20"])
  }

  @Test func `a completion can set another image`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.binder.hc.setImage(with: view.url("40x20")) { [ends = view.ends] in
      ends.record($0.name)
      view.set("30x10")
    }
    view.set("20x20")
    try await view.ends.waitForEvents(count: 3)
    #expect(view.ends.events == ["superseded with cancelled", "superseded with cancelled", "30x10 from network"])
    #expect(view.display.events == ["image 30x10"])
  }

  @Test func `a placeholder that cancels its own load prevents it and its low-resolution load`() async throws {
    let view = ViewFixture()
    let placeholder = ImagePlaceholder.view { [binder = view.binder] in
      binder.cancel()
      return 1
    }
    view.set("40x20", placeholder: placeholder) {
      $0.placeholderDelay = .zero
      $0.lowResolution = view.request("4x2")
    }
    #expect(view.ends.events == ["cancelled"])
    #expect(view.fixture.pipeline.activeJobCount == 0)
    try await view.warm("20x20")
    try await view.load("30x10")
    #expect(view.fixture.transport.requests.map(\.url.lastPathComponent) == ["20x20", "30x10"])
  }

  @Test func `progress is reported until the load is superseded`() async throws {
    let gate = Gate()
    let fixture = PipelineFixture { _ in
      .response(body: SolidImage(width: 40, height: 20).data, pieceByteCount: 10) { try? await gate.wait() }
    }
    let display = RecordingDisplay()
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    let seen = EventLog<Int>()
    let ends = EventLog<String>()
    var options = ImageViewOptions()
    options.finishesSuperseded = true
    let load = binder.hc.setImage(with: fixture.url, options: options) { ends.record($0.name) }
    load?.onProgress { seen.record($0.receivedByteCount) }
    try await seen.waitForEvents(count: 1)
    let late = EventLog<Int>()
    load?.onProgress { late.record($0.receivedByteCount) }
    #expect(late.events == seen.events.suffix(1), "the progress so far, at once")
    binder.hc.setImage(with: nil)
    let count = seen.events.count
    gate.open()
    try await ends.waitForEvents(count: 1)
    #expect(ends.events == ["superseded with 40x20"])
    load?.onProgress { seen.record($0.receivedByteCount) }
    #expect(seen.events.count == count)
  }

  @Test func `a replaced pipeline loads the images set from then on, not the larger version of the current one`()
    async throws
  {
    let (view, other) = (ViewFixture(), ViewFixture())
    try await view.load("400x200")
    view.binder.pipeline = other.fixture.pipeline
    view.display.displaySize = ViewSize(width: 100, height: 100)
    await view.rest()
    try await view.display.waitForShow("image 200x100")
    #expect(other.fixture.transport.requests.isEmpty)
    try await view.load("40x20")
    #expect(other.fixture.transport.requests.count == 1)
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `delays use the clock of the pipeline that loads the image`() async throws {
    let clocks = (TestClock(), TestClock())
    let view = ViewFixture { $0.time = clocks.0 }
    let other = ViewFixture(holding: ["40x20"]) { $0.time = clocks.1 }
    let binder = ImageViewBinder(display: view.display, pipeline: view.fixture.pipeline)
    binder.pipeline = other.fixture.pipeline
    other.set("40x20", on: binder) { $0.placeholderDelay = .seconds(7) }
    try await other.waitForRequest("40x20")
    for _ in 0..<20 { await Task.yield() }
    #expect(clocks.0.sleeperCount == 0)
    binder.cancel()
  }

  @Test func `a pipeline passed to setImage loads that image and its retries, but no later image`() async throws {
    let (view, other) = (ViewFixture(), ViewFixture())
    let record: ImageViewProxy.Completion = { [ends = view.ends] in ends.record($0.name) }
    view.binder.hc.setImage(with: view.url("down"), pipeline: other.fixture.pipeline, completion: record)
    try await view.ends.waitForEvents(count: 1)
    view.binder.retry(completion: record)
    try await view.ends.waitForEvents(count: 2)
    #expect(other.fixture.transport.requests.count == 2)
    #expect(view.fixture.transport.requests.isEmpty)
    #expect(view.binder.isBound(to: view.request("down")))
    #expect(view.binder.isBound(to: view.request("down"), pipeline: other.fixture.pipeline))
    #expect(!view.binder.isBound(to: view.request("down"), pipeline: view.fixture.pipeline))
    try await view.load("40x20")
    #expect(other.fixture.transport.requests.count == 2)
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `the pipeline of a view is created at its first use`() async throws {
    let view = ViewFixture()
    let created = EventLog<String>()
    let binder = ImageViewBinder(display: view.display, time: view.clock) {
      created.record("pipeline")
      return view.fixture.pipeline
    }
    binder.hc.setImage(with: view.url("40x20"), pipeline: view.fixture.pipeline)
    #expect(created.events == [])
    binder.hc.setImage(with: view.url("40x20"))
    binder.hc.setImage(with: view.url("30x10"))
    #expect(created.events == ["pipeline"])
  }
}
