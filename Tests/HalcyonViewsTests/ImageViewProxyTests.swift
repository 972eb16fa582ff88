import Foundation
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonViews
import Testing

@MainActor
@Suite(.unitTest) struct ImageViewProxyTests {
  @Test func `an image is set by a URL with a size and options of its load`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20", size: .fit(width: 10))
    let hc = view.binder.hc
    hc.setImage(with: view.url("40x20"), size: .fit(width: 10))
    #expect(view.display.events == ["image 10x5"], "from memory")
    #expect(view.fixture.transport.requests.count == 1)
    hc.setImage(with: view.url("40x20"), size: .fit(width: 10), loading: .reload) { [ends = view.ends] in
      ends.record($0.name)
    }
    try await view.ends.waitForEvents(count: 1)
    #expect(view.ends.events == ["10x5 from network"])
    #expect(view.fixture.transport.requests.count == 2)
  }

  @Test func `an image is set by a text, and one that is not a valid URL fails`() async throws {
    let view = ViewFixture()
    let hc = view.binder.hc
    let record: ImageViewProxy.Completion = { [ends = view.ends] in ends.record($0.name) }
    let text = view.url("40x20").absoluteString
    hc.setImage(with: text, size: .fit(width: 10), loading: .reload, completion: record)
    #expect(hc.request?.cachePolicy == .reload)
    try await view.ends.waitForEvents(count: 1)
    hc.setImage(with: "no url", completion: record)
    hc.setImage(with: nil as String?, completion: record)
    #expect(view.ends.events == ["10x5 from network", "invalidURL", "empty source"])
  }

  @Test func `a view knows its request, and errors of superseded and cancelled loads name theirs`() async throws {
    let view = ViewFixture(holding: ["40x20", "30x10"])
    let hc = view.binder.hc
    #expect(hc.request == nil)
    var errors: [ImageViewError] = []
    let collect: ImageViewProxy.Completion = { if case .failure(let error) = $0 { errors.append(error) } }
    hc.setImage(with: view.url("40x20"), completion: collect)
    #expect(hc.request?.source.url == view.url("40x20"))
    hc.setImage(with: view.url("30x10"), completion: collect)
    hc.cancel()
    guard case .superseded(_, request: let superseded)? = errors.first,
      case .cancelled(request: let cancelled)? = errors.last
    else {
      Issue.record("\(errors)")
      return
    }
    #expect(superseded?.source.url == view.url("40x20"))
    #expect(cancelled?.source.url == view.url("30x10"))
    #expect(errors.map(\.description).allSatisfy { $0.contains("http://example.com/") })
    #expect(hc.request?.source.url == view.url("30x10"))
    for name in ["40x20", "30x10"] { view.release(name) }
  }
}
