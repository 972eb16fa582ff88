import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// The options of views in situations other than a first load: images in memory, stale images, failures, and views that
/// are visible again.
@Suite(.unitTest)
@MainActor
struct ViewSituationTests {
  /// Sets every option that shows something before the image.
  private func setLoadingOptions(_ options: inout ImageViewOptions, _ view: ViewFixture) {
    (options.placeholderDelay, options.indicator) = (.zero, .activity)
    (options.lowResolution, options.retriesOnTap) = (view.request("4x2"), true)
    (options.failure, options.finishesSuperseded) = (.shows(.icon("broken")), true)
  }

  @Test func `an image in memory is shown without indicator, placeholder, preview and other loads`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    for keepsCurrentImage in [true, false] {
      view.binder.isVisible = keepsCurrentImage
      view.set("40x20") {
        setLoadingOptions(&$0, view)
        $0.keepsCurrentImage = keepsCurrentImage
      }
      #expect(!view.binder.didTap())
    }
    #expect(view.display.log.events == ["image 40x20", "image 40x20"])
    #expect(view.ends.events == ["40x20 from memory", "40x20 from memory"])
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a failure waits for the minimum time of a placeholder`() async throws {
    let view = ViewFixture(holding: ["down"])
    view.set("down") { $0.failure = .shows(.icon("broken")) }
    await view.clock.waitForSleepers()
    view.clock.advance(by: .seconds(1))
    try await view.display.log.waitForEvents(count: 1)
    view.release("down")
    await view.clock.waitForSleepers()
    #expect(view.ends.events == [])
    view.clock.advance(by: .milliseconds(300))
    try await view.ends.waitForEvents(count: 1)
    #expect(view.display.events == ["placeholder dots", "failure broken"])
  }

  @Test func `a view that is visible again shows its image with the transition of its origin`() async throws {
    let view = ViewFixture()
    try await view.load("40x20") {
      ($0.onlyWhileVisible, $0.transition) = (true, .crossFade)
      ($0.transitionOrigins, $0.indicator) = ([.memory, .store], .activity)
      $0.lowResolution = view.request("4x2")
    }
    for isInMemory in [true, false] {
      view.binder.isVisible = false
      await view.fixture.pipeline.cache.flush()
      if !isInMemory { view.fixture.memory.removeAll() }
      let count = view.display.events.count
      view.binder.isVisible = true
      while view.display.events.count == count {
        try await view.display.log.waitForEvents(count: view.display.log.events.count + 1)
      }
      #expect(view.display.events.dropFirst(count) == ["image 40x20 fading for 0.3 seconds"])
    }
    #expect(view.ends.events == ["40x20 from network"])
  }

  /// A pipeline whose server has a new image for each request, always stale; all but the first wait at the gate.
  ///
  /// - Parameter outcomes: Whether requests at the gate were answered or cancelled.
  private func stalePipeline(_ gate: Gate, _ outcomes: EventLog<String> = EventLog()) -> PipelineFixture {
    let count = Lock(0)
    return PipelineFixture { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      do {
        if number > 1 {
          try await gate.wait()
          outcomes.record("answered")
        }
      } catch {
        outcomes.record("cancelled")
        throw error
      }
      let image = SolidImage(width: 400, height: number == 1 ? 200 : 100)
      return .response(body: image.data, headers: ["Cache-Control": "max-age=0"])
    }
  }

  @Test func `a stale image is shown at once, and replaced in place with the transition of its origin`() async throws {
    let gate = Gate()
    let fixture = stalePipeline(gate)
    let (display, ends) = (RecordingDisplay(), EventLog<String>())
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    var options = ImageViewOptions()
    (options.placeholderDelay, options.indicator, options.transition) = (.zero, .activity, .crossFade)
    (options.failure, options.retriesOnTap, options.onlyWhileVisible) = (.shows(.icon("broken")), true, true)
    options.lowResolution = ImageRequest(url: fixture.url.appending(path: "low"))
    _ = try await fixture.pipeline.image(
      for: ImageRequest(url: fixture.url, size: .fit(width: 100, height: 100)))
    binder.isVisible = false
    binder.hc.setImage(with: fixture.url, placeholder: .icon("dots"), options: options) { ends.record($0.name) }
    let count = display.events.count
    binder.isVisible = true
    #expect(display.events.dropFirst(count).last == "image 100x50")
    #expect(ends.events == ["100x50 from memory"])
    #expect(!binder.didTap())
    gate.open()
    try await display.log.waitUntilLast(is: "image 100x25 fading for 0.3 seconds")
    #expect(ends.events.count == 1)
    #expect(fixture.transport.requests.map(\.url) == [fixture.url, fixture.url])
  }

  @Test func `a stale image in memory is a preview where its request contacts the server first`() async throws {
    let gate = Gate()
    let fixture = stalePipeline(gate)
    var request = ImageRequest(url: fixture.url, size: .fit(width: 100, height: 100))
    _ = try await fixture.pipeline.image(for: request)
    request.cachePolicy = .revalidate
    let (display, ends) = (RecordingDisplay(), EventLog<String>())
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    binder.hc.setImage(with: request) { ends.record($0.name) }
    #expect(display.events == ["preview 100x50"], "at once")
    gate.open()
    #expect(try await ends.waitForEvents(count: 1) == ["100x25 from network"])
    #expect(display.events.last == "image 100x25")
    withExtendedLifetime(binder) {}
  }

  @Test(arguments: [false, true])
  func `the revalidation of a superseded image is cancelled or finishes`(finishes: Bool) async throws {
    let (gate, outcomes) = (Gate(), EventLog<String>())
    let fixture = stalePipeline(gate, outcomes)
    let request = ImageRequest(url: fixture.url, size: .fit(width: 100, height: 100))
    _ = try await fixture.pipeline.image(for: request)
    let display = RecordingDisplay()
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    var options = ImageViewOptions()
    options.finishesSuperseded = finishes
    binder.hc.setImage(with: request, options: options)
    try await gate.waitUntilHolding()
    binder.hc.setImage(with: nil)
    if finishes { gate.open() }
    #expect(try await outcomes.waitForEvents(count: 1) == [finishes ? "answered" : "cancelled"])
    withExtendedLifetime(display) {}
  }

  @Test(arguments: [CachePolicy.standard, .staleFirst, .revalidate], [403, 404, 410])
  func `a stale image from the store is shown, however quick the error of its revalidation is`(
    policy: CachePolicy, status: Int
  ) async throws {
    let isDown = EventLog<Bool>()
    let fixture = PipelineFixture(configure: { $0.options.retryStrategy = .never }) { _ in
      guard isDown.events.isEmpty else { return .response(status: status, body: Data()) }
      return .response(body: SolidImage(width: 40, height: 20).data, headers: ["Cache-Control": "max-age=0"])
    }
    let requests = (0..<20).map { ImageRequest(url: fixture.url.appending(path: "\($0)")) { $0.cachePolicy = policy } }
    for request in requests { _ = try await fixture.pipeline.image(for: request) }
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    isDown.record(true)
    for request in requests {
      let (display, ends) = (RecordingDisplay(), EventLog<String>())
      let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
      binder.hc.setImage(with: request) { ends.record($0.name) }
      try await ends.waitForEvents(count: 1)
      let expected = policy == .revalidate ? ["httpStatus"] : ["40x20 from store", "40x20 from memory"]
      #expect(expected.contains(ends.events[0]))
      #expect(display.events == [policy == .revalidate ? "preview 40x20" : "image 40x20"])
      withExtendedLifetime(binder) {}
    }
    // What is gone stays in views, and in no cache.
    if status != 403 { #expect(fixture.memory.count == 0 && fixture.store.keys.isEmpty) }
  }

  @Test(arguments: [false, true])
  func `a stale image is read once from the store, and looked up once in memory`(isProcessed: Bool) async throws {
    let (gate, kinds) = (Gate(), EventLog<String>())
    let fixture = PipelineFixture {
      $0.eventHandler = { kinds.record("\($0.kind)") }
    } script: { request in
      let isFirst = request.headers["If-None-Match"] == nil
      if !isFirst { try await gate.wait() }
      let image = SolidImage(width: isFirst ? 400 : 40, height: 200)
      return .response(body: image.data, headers: ["Cache-Control": "max-age=0", "ETag": "\"1\""])
    }
    let request = ImageRequest(
      url: fixture.url, size: .fit(width: 100, height: 100), processors: isProcessed ? [.invert] : [])
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    let earlier = kinds.events.count
    let (display, ends) = (RecordingDisplay(), EventLog<String>())
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    binder.hc.setImage(with: request) { ends.record($0.name) }
    #expect(try await ends.waitForEvents(count: 1) == ["100x50 from store"])
    try await gate.waitUntilHolding()
    for kind in ["created", "memory", "store "] {
      #expect(kinds.events.dropFirst(earlier).filter { $0.hasPrefix(kind) }.count == 1, "\(kind)")
    }
    gate.open()
    try await display.log.waitUntilLast(is: "image 20x100")
    #expect(ends.events.count == 1)
    withExtendedLifetime(binder) {}
  }

  @Test func `a newer image that is loaded before the stale one has been decoded is the only one shown`() async throws {
    let (clock, decoding, decode, requests) = (TestClock(), Signal(), Latch(), Counter())
    let isHeld = Lock(false)
    let decoder = SolidDecoder {
      let waits = isHeld.withLock { held in
        defer { held = false }
        return held
      }
      guard waits else { return }
      decoding.set()
      decode.wait()
    }
    let fixture = PipelineFixture(decoder: decoder) {
      ($0.time, $0.decodingThreads) = (clock, 2)
    } script: { _ in
      requests.increment()
      guard requests.count > 1 else {
        return .response(body: SolidImage(width: 40, height: 20).data, headers: ["Cache-Control": "max-age=1"])
      }
      await decoding.wait()
      return .response(body: SolidImage(width: 60, height: 20).data)
    }
    let request = ImageRequest(url: fixture.url, size: .fit(width: 100, height: 100))
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    clock.advance(by: .seconds(10))
    isHeld.withLock { $0 = true }
    let (display, ends) = (RecordingDisplay(), EventLog<String>())
    let binder = ImageViewBinder(display: display, time: clock) { fixture.pipeline }
    binder.hc.setImage(with: request) { ends.record($0.name) }
    try await ends.waitForEvents(count: 1)
    decode.open()
    while decoder.decodedSizes.count < 3 { try await Task.yieldUnlessCancelled() }
    for _ in 0..<1000 { await Task.yield() }
    #expect(ends.events == ["60x20 from network"])
    #expect(display.events.filter { $0.hasPrefix("image") } == ["image 60x20"])
    withExtendedLifetime(binder) {}
  }

  @Test func `a stale image waits for its group`() async throws {
    let gate = Gate()
    let fixture = stalePipeline(gate)
    let request = ImageRequest(url: fixture.url, size: .fit(width: 100, height: 100))
    _ = try await fixture.pipeline.image(for: request)
    let displays = [RecordingDisplay(), RecordingDisplay()]
    let binders = displays.map { ImageViewBinder(display: $0, time: TestClock()) { fixture.pipeline } }
    var options = ImageViewOptions()
    options.transitionGroup = TransitionGroup(count: 2)
    binders[0].hc.setImage(with: request, options: options)
    #expect(displays[0].events == [])
    gate.open()
    binders[1].hc.setImage(with: ImageRequest(url: fixture.url.appending(path: "other")), options: options)
    try await displays[1].waitForShow("image 100x25")
    #expect(displays[0].events.first?.hasPrefix("image 100x") == true)
    // Optimised code would release the binders after their last use, which cancels their loads.
    withExtendedLifetime(binders) {}
  }
}
