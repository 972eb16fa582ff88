import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// A view that is set again to the URL that it is loading.
@Suite(.unitTest)
@MainActor
struct SharedTransferTests {
  /// The loads that have joined the transfer of another one.
  private let joins = EventLog<String>()

  @Test func `a reload in flight is joined by another size of its image`() async throws {
    let view = ViewFixture(holding: ["400x200"]) { [joins] in
      $0.cache = ImageCache(disk: nil)
      $0.eventHandler = { if case .joined(.bytes) = $0.kind { joins.record("joined") } }
    }
    view.set("400x200")
    try await view.waitForRequest("400x200")
    view.releaseOnce("400x200")
    try await view.ends.waitForEvents(count: 1)
    view.display.displaySize = ViewSize(width: 100, height: 100)
    await view.rest()
    try await view.waitForRequest("400x200")
    var request = view.request("400x200")
    request.size = .fit(width: 30, height: 30)
    view.set(request)
    try await joins.waitForEvents(count: 1)
    view.release("400x200")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["100x50 from network", "30x15 from network"])
    #expect(view.fixture.transport.requests.count == 2)
    #expect(view.cancelled.events.isEmpty)
  }

  @Test func `a superseded load that finishes has the lowest priority`() async throws {
    // One may wait: of two waiting loads, the one of lower priority is rejected.
    let view = ViewFixture(holding: ["8x8", "40x20"]) {
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1, waiting: 1)
    }
    let blocker = view.fixture.pipeline.task(for: view.request("8x8"))
    try await view.waitForRequest("8x8")
    view.set("40x20") { $0.finishesSuperseded = true }
    view.binder.hc.setImage(with: nil)
    var low = view.request("30x10")
    low.priority = .low
    let other = view.fixture.pipeline.task(for: low)
    #expect(try await view.ends.waitForEvents(count: 1) == ["superseded with tooManyWaiting"])
    view.release("8x8")
    #expect(try await other.image.size == PixelSize(width: 30, height: 10))
    _ = try await blocker.image
  }

  @Test func `five calls with one URL, at several sizes and with a processor, send one request`() async throws {
    let view = ViewFixture(holding: ["40x20"]) { [joins] in
      $0.eventHandler = { if case .joined(.bytes) = $0.kind { joins.record("joined") } }
    }
    var requests = [10, 20, 30, 36].map { ImageRequest(url: view.url("40x20"), size: .fit(width: $0, height: $0)) }
    requests[3].processors = [.crop(width: 8, height: 8)]
    view.set("40x20")
    try await view.waitForRequest("40x20")
    for (index, request) in requests.enumerated() {
      view.set(request)
      try await joins.waitForEvents(count: index + 1)
    }
    view.release("40x20")
    try await view.ends.waitForEvents(count: 5)
    #expect(view.ends.events == Array(repeating: "superseded with cancelled", count: 4) + ["8x8 from network"])
    #expect(view.display.events == ["image 8x8"])
    #expect(view.fixture.transport.requests.count == 1)
    #expect(view.cancelled.events == [])
  }

  @Test func `the transfer ends when the view is then set to another image, or cancelled, and is not started again`()
    async throws
  {
    // Over the turns, loads are cancelled before, while and after they join the transfer.
    for turn in 0..<200 {
      let view = ViewFixture(holding: ["40x20"])
      for _ in 0..<3 { view.set("40x20") }
      try await view.waitForRequest("40x20")
      for _ in 0..<(turn % 20) { await Task.yield() }
      if turn % 2 == 0 { view.binder.cancel() } else { view.binder.hc.setImage(with: nil) }
      try await view.cancelled.waitForEvents(count: 1)
      while view.fixture.pipeline.activeJobCount > 0, !Task.isCancelled { await Task.yield() }
      #expect(view.fixture.transport.requests.count == 1)
    }
  }
}
