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

  @Test func `five calls with one URL, at several sizes and with a processor, send one request`() async throws {
    let view = ViewFixture(holding: ["40x20"]) { [joins] in
      $0.eventHandler = { if case .joined(.bytes) = $0.kind { joins.record("joined") } }
    }
    view.set("40x20")
    for width in [10, 20, 30] {
      var request = view.request("40x20")
      request.size = .fit(width: width, height: width)
      view.set(request)
    }
    var request = view.request("40x20")
    (request.size, request.processors) = (.fit(width: 36, height: 36), [.crop(width: 8, height: 8)])
    view.set(request)
    try await joins.waitForEvents(count: 4)
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
