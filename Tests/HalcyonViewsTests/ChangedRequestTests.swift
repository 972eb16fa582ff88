import HalcyonHTTP
import HalcyonImaging
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestTraits
import HalcyonViews
import Testing

@testable import HalcyonPipeline

/// Requests that change while their image is loading, in views that are built from values.
@MainActor @Suite(.unitTest)
struct ChangedRequestTests {
  private func update(
    _ name: String, in view: ViewFixture, _ change: (inout ImageRequest) -> Void = { _ in }
  ) -> ImagePhaseModel.Update {
    var request = view.request(name)
    change(&request)
    var update = ImagePhaseModel.Update(request: request)
    update.pipeline = view.fixture.pipeline
    update.completion = { [ends = view.ends] in ends.record($0.name) }
    return update
  }

  private func model(_ view: ViewFixture) -> ImagePhaseModel {
    let model = ImagePhaseModel(pipeline: view.fixture.pipeline, time: view.clock)
    model.resize(to: ViewSize(width: 50, height: 50), scale: 2)
    model.isVisible = true
    return model
  }

  @Test func `a priority that changes while an image waits for a connection takes effect`() async throws {
    let view = ViewFixture(holding: ["40x20"]) { $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1) }
    let models = (0..<3).map { _ in model(view) }
    models[0].apply(update("40x20", in: view))
    try await view.waitForRequest("40x20")
    models[1].apply(update("41x20", in: view))
    models[2].apply(update("42x20", in: view))
    let limiter = view.fixture.pipeline.loader.bytes.http.limiter
    while limiter.waitingCount < 2 { try await Task.yieldUnlessCancelled() }
    let changed = update("42x20", in: view) { $0.priority = .high }
    models[2].adopt(changed, changed.identity)
    view.release("40x20")
    try await view.ends.waitForEvents(count: 3)
    #expect(view.fixture.transport.requests.map(\.url.lastPathComponent) == ["40x20", "42x20", "41x20"])
  }

  @Test func `a cache policy that changes while an image is loading takes effect`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let model = model(view)
    let first = update("40x20", in: view)
    model.apply(first)
    try await view.waitForRequest("40x20")
    let changed = update("40x20", in: view) { $0.cachePolicy = .cacheOnly }
    #expect(changed.identity != first.identity)
    model.apply(changed)
    while model.phase.error == nil { try await Task.yieldUnlessCancelled() }
    #expect(model.phase.error?.name == "notCached")
    view.release("40x20")
  }

  @Test func `the result goes to the closures that a view has last for the image, not to those for another one`()
    async throws
  {
    let view = ViewFixture(holding: ["40x20"])
    let model = model(view)
    var changed = update("40x20", in: view)
    model.apply(changed)
    changed.completion = { [ends = view.ends] in ends.record("again: \($0.name)") }
    model.adopt(changed, changed.identity)
    let other = update("30x10", in: view)
    model.adopt(other, other.identity)
    view.release("40x20")
    #expect(try await view.ends.waitForEvents(count: 1) == ["again: 40x20 from network"])
  }

  @Test func `a policy that is the default of the pipeline is no change`() async throws {
    let view = ViewFixture()
    let model = model(view)
    model.apply(update("40x20", in: view))
    try await view.ends.waitForEvents(count: 1)
    model.apply(update("40x20", in: view) { $0.cachePolicy = .standard })
    #expect(!model.phase.isLoading && view.fixture.transport.requests.count == 1)
  }
}
