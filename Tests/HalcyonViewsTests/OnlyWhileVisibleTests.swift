import HalcyonImaging
import HalcyonHTTP
import HalcyonSupport
import HalcyonCache
import HalcyonPipeline
import HalcyonViews
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Views that hold their image only while they are visible.
@Suite(.unitTest)
@MainActor
struct OnlyWhileVisibleTests {
  private func set(_ view: ViewFixture, _ name: String, _ change: (inout ImageViewOptions) -> Void = { _ in }) {
    view.set(name) {
      $0.onlyWhileVisible = true
      $0.placeholderDelay = .zero
      $0.transition = .crossFade
      change(&$0)
    }
  }

  private func load(_ view: ViewFixture, _ name: String) async throws {
    set(view, name)
    try await view.ends.waitForEvents(count: view.ends.events.count + 1)
  }

  /// A view without a store whose evicted image is being loaded again.
  private func reloadingView() async throws -> ViewFixture {
    let view = ViewFixture(holding: ["40x20"]) { $0.cache = ImageCache(disk: nil) }
    view.releaseOnce("40x20")
    try await load(view, "40x20")
    view.binder.isVisible = false
    view.binder.pipeline.cache.memory.removeAll()
    view.binder.isVisible = true
    try await view.waitForRequest("40x20")
    return view
  }

  @Test func `a hidden view starts loading when it becomes visible`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    view.binder.isVisible = false
    set(view, "40x20")
    #expect(view.display.events == ["placeholder dots"])
    #expect(view.binder.isLoading)
    view.binder.isVisible = true
    #expect(view.display.events == ["placeholder dots", "image 40x20"])
    #expect(view.ends.events == ["40x20 from memory"])
  }

  @Test func `a hidden view releases its image, and shows it at once from memory when visible again`() async throws {
    let view = ViewFixture()
    try await load(view, "40x20")
    view.binder.isVisible = false
    #expect(view.display.events.suffix(2) == ["image 40x20 fading for 0.3 seconds", "placeholder dots"])
    #expect(!view.binder.isLoading)
    view.binder.isVisible = true
    #expect(view.display.events.last == "image 40x20")
    #expect(view.ends.events == ["40x20 from network"])
  }

  @Test func `an image evicted from memory is loaded again, without contacting the server`()
    async throws
  {
    let view = ViewFixture()
    var request = view.request("40x20")
    request.cachePolicy = .revalidate
    view.set(request) {
      $0.onlyWhileVisible = true
    }
    try await view.ends.waitForEvents(count: 1)
    view.binder.isVisible = false
    view.fixture.memory.removeAll()
    view.binder.isVisible = true
    #expect(view.binder.isLoading)
    try await view.display.log.waitUntilLast(is: "image 40x20")
    #expect(!view.binder.isLoading)
    #expect(view.ends.events == ["40x20 from network"])
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `an image that arrives while its view is hidden is shown when the view becomes visible`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    set(view, "40x20")
    view.binder.isVisible = false
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.ends.events == ["40x20 from network"])
    #expect(view.binder.content.image == nil)
    view.binder.isVisible = true
    #expect(view.display.events.last == "image 40x20")
  }

  @Test func `a failed reload shows the failure content, and is retried when the view becomes visible again`()
    async throws
  {
    let view = ServerView(remembersFailures: false)
    try await view.load()
    for (isBroken, expected) in [(true, "failure broken"), (false, "image 4x2")] {
      view.isDown.update { $0 = isBroken }
      view.releaseAndShowAgain()
      try await view.display.log.waitUntilLast(is: expected)
    }
    #expect(view.ends.events.count == 1)
  }

  @Test func `a view that is larger when visible again loads a larger image`() async throws {
    let view = ViewFixture()
    try await load(view, "400x200")
    view.binder.isVisible = false
    view.display.displaySize = ViewSize(width: 100, height: 100)
    view.binder.isVisible = true
    try await view.display.log.waitUntilLast(is: "image 200x100")
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 100, height: 100), .fit(width: 200, height: 200)])
    #expect(view.ends.events == ["100x50 from network"])
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a hidden view does not delay its transition group`() async throws {
    let view = ViewFixture()
    let group = TransitionGroup(count: 2)
    let display = RecordingDisplay()
    let hidden = ImageViewBinder(display: display, time: view.clock) { view.fixture.pipeline }
    hidden.isVisible = false
    view.set("40x20", on: hidden) {
      $0.onlyWhileVisible = true
      $0.transitionGroup = group
    }
    view.set("30x10") { $0.transitionGroup = group }
    try await view.display.log.waitUntilLast(is: "image 30x10")
    #expect(display.events == [])
  }

  @Test func `hiding and showing a view again during its reload keeps track of the second reload`() async throws {
    let view = try await reloadingView()
    view.binder.isVisible = false
    view.binder.isVisible = true
    try await view.cancelled.waitForEvents(count: 1)
    try await view.waitForRequest("40x20")
    try #require(view.binder.isLoading)
    view.binder.isVisible = false
    try await view.cancelled.waitForEvents(count: 2)
    #expect(!view.binder.isLoading && view.display.events.last == "placeholder dots")
  }

  @Test func `a tap retries a failed reload`() async throws {
    let view = ServerView(remembersFailures: true)
    try await view.load()
    view.isDown.update { $0 = true }
    view.releaseAndShowAgain()
    try await view.display.log.waitUntilLast(is: "failure broken")
    view.isDown.update { $0 = false }
    try #require(view.binder.didTap())
    try await view.display.log.waitUntilLast(is: "image 4x2")
    #expect(!view.binder.didTap())
    #expect(view.ends.events.count == 1)
  }
}

/// A view without a store, and a server that can be down.
@MainActor
private struct ServerView {
  let isDown = Monitor(false)
  let display = RecordingDisplay()
  let ends = EventLog<String>()
  let binder: ImageViewBinder
  private let fixture: PipelineFixture

  init(remembersFailures: Bool) {
    fixture = PipelineFixture(configure: {
      $0.cache = ImageCache(disk: nil)
      $0.options.retryStrategy = .never
      if !remembersFailures { $0.failureLifetimes = .none }
    }) { [isDown] _ in
      isDown.read { $0 }
        ? .response(status: 503, body: Data()) : .response(body: SolidImage(width: 4, height: 2).data)
    }
    binder = ImageViewBinder(display: display, pipeline: fixture.pipeline)
  }

  func load() async throws {
    var options = ImageViewOptions()
    options.onlyWhileVisible = true
    options.failure = .shows(.icon("broken"))
    options.retriesOnTap = true
    binder.hc.setImage(with: fixture.url, options: options) { [ends] in ends.record($0.name) }
    try await ends.waitForEvents(count: 1)
  }

  /// Hides the view and shows it again, after its image has been evicted from memory.
  func releaseAndShowAgain() {
    binder.isVisible = false
    fixture.pipeline.cache.memory.removeAll()
    binder.isVisible = true
  }
}
