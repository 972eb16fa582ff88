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

/// The phases that a binder notifies of.
@MainActor @Suite(.unitTest)
struct ViewPhaseTests {
  private func follow(_ binder: ImageViewBinder) -> EventLog<String> {
    let log = EventLog<String>()
    binder.onPhaseChange = { phase in
      switch phase {
      case .empty: log.record("empty")
      case .loading(nil): log.record("loading")
      case .loading: log.record("progress")
      case .preview(let image, _): log.record("preview \(image.size)")
      case .success(let image): log.record("image \(image.size)")
      case .failure: log.record("failure")
      }
    }
    return log
  }

  /// The states without progress, which depends on when bytes arrive.
  private func states(_ log: EventLog<String>) -> [String] { log.events.filter { $0 != "progress" } }

  @Test func `a view is notified of each phase once, and of the image in memory at once`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let log = follow(view.binder)
    view.set("40x20")
    #expect(log.events == ["loading"])
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(states(log) == ["loading", "image 40x20"])
    view.binder.hc.setImage(with: nil)
    view.set("40x20")
    #expect(states(log) == ["loading", "image 40x20", "empty", "image 40x20"])
    #expect(view.binder.phase.image?.size == PixelSize(width: 40, height: 20))
  }

  @Test func `an image that stays while another one is loaded is a preview`() async throws {
    let view = ViewFixture(holding: ["30x10"])
    try await view.load("40x20")
    let log = follow(view.binder)
    view.set("30x10") { $0.keepsCurrentImage = true }
    #expect(log.events == ["preview 40x20"])
    #expect(view.binder.phase.isLoading)
    view.binder.cancel()
    #expect(log.events == ["preview 40x20", "empty"])
  }

  @Test func `an image of lower resolution is a preview`() async throws {
    let view = ViewFixture(holding: ["30x10"])
    try await view.warm("4x2")
    let log = follow(view.binder)
    view.set("30x10") { $0.lowResolution = view.request("4x2") }
    #expect(log.events.last == "preview 4x2")
    view.binder.cancel()
  }

  @Test func `each failure is notified of, also where one follows another at once`() {
    let view = ViewFixture()
    let log = follow(view.binder)
    for _ in 0..<2 { view.set(ImageRequest(source: .string("gopher://example.com/a.png"))) }
    #expect(log.events == ["failure", "failure"])
  }

  @Test func `a view that is waiting for its size, hidden or released is empty`() async throws {
    let view = ViewFixture()
    let log = follow(view.binder)
    view.display.displaySize = .zero
    view.set("40x20") { $0.onlyWhileVisible = true }
    #expect(log.events == [])
    view.display.displaySize = ViewSize(width: 50, height: 50)
    view.binder.displayDidChange()
    #expect(log.events == ["loading"])
    try await view.ends.waitForEvents(count: 1)
    view.binder.isVisible = false
    #expect(log.events.last == "empty")
    view.binder.isVisible = true
    #expect(log.events.last == "image 40x20")
  }

  @Test func `a closure that sets another image on a failure ends with that image`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    view.binder.onPhaseChange = { phase in
      if phase.error != nil { view.set("40x20") }
    }
    view.set("gone")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.ends.events == ["httpStatus", "40x20 from memory"])
    #expect(view.binder.phase.image != nil)
  }
}
