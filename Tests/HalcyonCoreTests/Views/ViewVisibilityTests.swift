import HalcyonSupport
import HalcyonPipeline
import HalcyonViews
import HalcyonTesting
import TestSupport
import Testing

@MainActor
struct ViewVisibilityTests {
  /// One view, and another load of low priority, wait where only one may: who is refused?
  private func refused(
    isVisible: Bool = true, _ change: (inout ImageViewOptions) -> Void = { _ in }, act: (ImageViewBinder) -> Void
  ) async throws -> String {
    let view = ViewFixture(holding: ["9x9"]) {
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1, waiting: 1)
    }
    let blocker = view.fixture.pipeline.task(for: view.request("9x9"))
    try await view.waitForRequest("9x9")
    view.binder.isVisible = isVisible
    view.set("1x1", change)
    act(view.binder)
    var request = view.request("2x2")
    request.priority = .low
    let other = view.fixture.pipeline.task(for: request)
    let name = await refusedFirst(view.ends, other)
    view.release("9x9")
    _ = try await blocker.image
    return name
  }

  /// Waits for the one that fails; the other waits for the blocker.
  private func refusedFirst(_ ends: EventLog<String>, _ other: ImageTask) async -> String {
    await withTaskGroup(of: String.self) { group in
      group.addTask { (try? await ends.waitForEvents(count: 1)) == nil ? "nobody" : "view" }
      group.addTask { (try? await other.response) == nil ? "other" : "nobody" }
      defer { group.cancelAll() }
      return await group.next() ?? "nobody"
    }
  }

  @Test func `a hidden view gives way to those that are seen`() async throws {
    #expect(try await refused(act: { $0.isVisible = false }) == "view")
    #expect(try await refused(act: { _ in }) == "other")
  }

  @Test func `a view that is set while it is hidden gives way`() async throws {
    #expect(try await refused(isVisible: false, act: { _ in }) == "view")
  }

  @Test func `a view that is seen again has its priority back`() async throws {
    #expect(try await refused(isVisible: false, act: { $0.isVisible = true }) == "other")
  }

  @Test func `a hidden view keeps its priority where the options say so`() async throws {
    #expect(try await refused({ $0.yieldsWhenHidden = false }, act: { $0.isVisible = false }) == "other")
  }

  @Test func `a view that comes back knows what it was given, also where that failed`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    #expect(view.binder.isBound(to: view.request("40x20")))
    #expect(!view.binder.isBound(to: view.request("30x10")))
    #expect(!view.binder.isBound(to: nil))
    try await view.load("down")
    #expect(view.binder.isBound(to: view.request("down")))
    view.binder.setImage(with: nil)
    #expect(view.binder.isBound(to: nil))
    view.set("30x10")
    view.binder.cancel()
    #expect(!view.binder.isBound(to: view.request("30x10")))
  }
}
