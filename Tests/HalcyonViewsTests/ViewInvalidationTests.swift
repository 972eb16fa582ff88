import Foundation
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

/// Views whose pipeline is invalidated.
@Suite(.unitTest)
struct ViewInvalidationTests {
  @Test @MainActor func `a revalidation for a view that shows the stale image ends`() async throws {
    let (gate, cancelled) = (Gate(), Counter())
    let fixture = PipelineFixture { request in
      guard request.headers["If-None-Match"] != nil else {
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
        return .response(body: SolidImage(width: 10, height: 10).data, headers: headers)
      }
      do { try await gate.wait() } catch {
        cancelled.increment()
        throw error
      }
      return .response(status: 304, body: Data())
    }
    let request = ImageRequest(url: fixture.url, size: .fit(width: 100, height: 100))
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    let (display, ends) = (RecordingDisplay(), Counter())
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    binder.hc.setImage(with: request) { _ in ends.increment() }
    #expect(ends.count == 1)
    try await gate.waitUntilHolding(1)
    fixture.pipeline.invalidate()
    while fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
    #expect(cancelled.count == 1)
    #expect(display.events == ["image 10x10"])
  }
}
