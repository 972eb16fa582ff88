import HalcyonCache
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonViews

/// The priority of the load of a view.
@Suite(.unitTest)
@MainActor
struct ViewTaskTests {
  private let view = ViewFixture(holding: ["40x20"])

  private func task(_ priority: ImagePriority? = nil, isVisible: Bool) -> ViewTask {
    var request = view.request("40x20")
    request.priority = priority
    return ViewTask(
      SizedRequest(request: request), in: view.fixture.pipeline, after: .miss(.absent), isVisible: isVisible
    ) { _ in }
  }

  @Test func `a load has the priority of its request while its view is visible, else the lowest`() {
    #expect(task(isVisible: true).priority == .normal)
    #expect(task(.high, isVisible: true).priority == .high)
    let task = task(.high, isVisible: false)
    #expect(task.priority == .veryLow)
    task.setPriority(.low, isVisible: false)
    #expect(task.priority == .veryLow)
    for (isVisible, priority) in [(true, ImagePriority.low), (false, .veryLow), (true, .low)] {
      task.setPriority(isVisible: isVisible)
      #expect(task.priority == priority)
    }
    task.cancel()
  }

  @Test(arguments: [(true, ImagePriority.low), (false, .veryLow)])
  func `a revalidation keeps a low priority, whatever becomes of its view`(isVisible: Bool, priority: ImagePriority) {
    let task = task(.veryHigh, isVisible: isVisible)
    task.becomeRevalidation()
    #expect(task.priority == priority)
    task.setPriority(isVisible: !isVisible)
    task.setPriority(.high, isVisible: true)
    #expect(task.priority == priority)
    task.cancel()
  }
}
