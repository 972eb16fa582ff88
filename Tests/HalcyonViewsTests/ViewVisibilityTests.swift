import HalcyonSupport
import HalcyonPipeline
import HalcyonViews
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
@MainActor
struct ViewVisibilityTests {
  /// Whether the load of a view or another load of low priority is rejected when only one may wait.
  private func rejectedLoad(
    isVisible: Bool = true, act: (ImageViewBinder) -> Void
  ) async throws -> String {
    let view = ViewFixture(holding: ["9x9"]) {
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1, waiting: 1)
    }
    let blocker = view.fixture.pipeline.task(for: view.request("9x9"))
    try await view.waitForRequest("9x9")
    view.binder.isVisible = isVisible
    view.set("1x1")
    act(view.binder)
    var request = view.request("2x2")
    request.priority = .low
    let other = view.fixture.pipeline.task(for: request)
    let name = await firstRejected(view.ends, other)
    view.release("9x9")
    _ = try await blocker.image
    return name
  }

  /// Waits for the load that fails; the other one waits for the blocker.
  private func firstRejected(_ ends: EventLog<String>, _ other: ImageTask) async -> String {
    await withTaskGroup(of: String.self) { group in
      group.addTask { (try? await ends.waitForEvents(count: 1)) == nil ? "neither" : "view" }
      group.addTask { (try? await other.response) == nil ? "other" : "neither" }
      defer { group.cancelAll() }
      return await group.next() ?? "neither"
    }
  }

  @Test func `a hidden view loads at a lower priority than visible ones`() async throws {
    #expect(try await rejectedLoad(act: { $0.isVisible = false }) == "view")
    #expect(try await rejectedLoad(act: { _ in }) == "other")
  }

  @Test func `an image set on a hidden view loads at a lower priority`() async throws {
    #expect(try await rejectedLoad(isVisible: false, act: { _ in }) == "view")
  }

  @Test func `a view that becomes visible again regains its priority`() async throws {
    #expect(try await rejectedLoad(isVisible: false, act: { $0.isVisible = true }) == "other")
  }

  @Test func `a view stays bound to its request, even after a failure`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    #expect(view.binder.isBound(to: view.request("40x20")))
    #expect(!view.binder.isBound(to: view.request("30x10")))
    #expect(!view.binder.isBound(to: nil))
    try await view.load("down")
    #expect(view.binder.isBound(to: view.request("down")))
    view.binder.hc.setImage(with: nil)
    #expect(view.binder.isBound(to: nil))
    view.set("30x10")
    view.binder.cancel()
    #expect(!view.binder.isBound(to: view.request("30x10")))
  }
}
