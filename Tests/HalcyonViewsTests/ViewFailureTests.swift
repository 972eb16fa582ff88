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
struct ViewFailureTests {
  @Test func `a failure keeps the placeholder, or shows it if it is not visible yet`() async throws {
    let view = ViewFixture()
    try await view.load("down")
    #expect(view.display.events == ["placeholder dots"])
    #expect(view.ends.events == ["httpStatus"])
    try await view.load("down") { $0.placeholderDelay = .zero }
    #expect(view.display.events == ["placeholder dots", "placeholder dots"])
  }

  @Test func `a failure keeps the current image or preview instead of the placeholder`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    try await view.load("down") { $0.keepsCurrentImage = true }
    #expect(view.binder.content.name == "image 40x20")
    try await view.warm("4x2")
    try await view.load("down") { $0.lowResolution = view.request("4x2") }
    #expect(view.binder.content.name == "preview 4x2")
  }

  @Test func `a URL that cannot be used fails before setImage returns`() async throws {
    let events = EventLog<String>()
    let view = ViewFixture { $0.eventHandler = { events.record("\($0.kind)") } }
    try await view.load("40x20")
    let count = events.events.count
    let load = view.set(ImageRequest(source: .string("gopher://example.com/a.png"))) {
      $0.failure = .shows(.icon("broken"))
      $0.indicator = .activity
    }
    #expect(load == nil)
    #expect(view.display.events == ["image 40x20", "nothing", "failure broken"])
    #expect(view.ends.events.last == "unsupportedScheme")
    #expect(Array(events.events[count...]).map { $0.prefix(7) } == ["created", "started", "failed:"])
    #expect(view.binder.phase.error != nil)
  }

  @Test func `a URL that cannot be used clears the image before it, or shows the placeholder`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    view.set(ImageRequest(source: .string("")))
    #expect(view.display.events == ["image 40x20", "nothing", "placeholder dots"])
    try await view.load("40x20")
    view.set(ImageRequest(source: .string("")), placeholder: nil)
    #expect(view.binder.content.isEmpty)
    try await view.load("40x20")
    view.set(ImageRequest(source: .string(""))) { $0.keepsCurrentImage = true }
    #expect(view.binder.content.name == "image 40x20")
  }

  @Test func `a tap retries a failed load, even while the pipeline remembers the failure`() async throws {
    let isAvailable = EventLog<Bool>()
    let fixture = PipelineFixture(configure: { $0.options.retryStrategy = .never }) { _ in
      isAvailable.events.isEmpty
        ? .response(status: 404, body: Data()) : .response(body: SolidImage(width: 40, height: 20).data)
    }
    let display = RecordingDisplay()
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    let ends = EventLog<String>()
    var options = ImageViewOptions()
    options.retriesOnTap = true
    // Longer than any delay of the test machine, so that the failure always comes first.
    options.placeholderDelay = .seconds(3600)
    options.failure = .shows(.icon("broken"))
    binder.hc.setImage(with: fixture.url, placeholder: .icon("dots"), options: options) { ends.record($0.name) }
    try await ends.waitForEvents(count: 1)
    isAvailable.record(true)
    #expect(binder.didTap())
    // While loading, taps are not handled by the binder.
    #expect(!binder.didTap())
    while display.events.count < 3 { try await display.log.waitForEvents(count: display.log.events.count + 1) }
    #expect(display.events == ["failure broken", "placeholder dots", "image 40x20"])
    #expect(!binder.didTap())
    #expect(ends.events == ["httpStatus"])
  }

  @Test func `a retry calls its own completion`() async throws {
    let view = ViewFixture()
    try await view.load("down")
    let attempt = view.binder.retry { [ends = view.ends] in ends.record("again: \($0.name)") }
    let load = try #require(attempt)
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["httpStatus", "again: httpStatus"])
    #expect(load.isFinished)
    #expect(view.fixture.transport.requests.count == 2)
  }
}
