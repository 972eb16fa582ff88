import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The display for tests of programs.
@MainActor @Suite(.unitTest)
struct TestDisplayTests {
  @Test func `all views are waited for, unless they have no size or are gone`() async throws {
    let view = ViewFixture(holding: ["40x20", "80x40"])
    var released: TestDisplay? = TestDisplay(pipeline: view.fixture.pipeline)
    released?.hc.setImage(with: view.url("80x40"))
    let waiting = TestDisplay(pipeline: view.fixture.pipeline)
    waiting.displaySize = .zero
    waiting.hc.setImage(with: view.url("80x40"))
    let shown = TestDisplay(pipeline: view.fixture.pipeline)
    shown.hc.setImage(with: view.url("40x20"))
    #expect(view.fixture.pipeline.busyViewCount.withLock(\.self) == 2)
    released = nil
    view.release("40x20")
    try await view.fixture.pipeline.waitForViews()
    #expect(shown.content.role == .image && waiting.contents.allSatisfy(\.isEmpty))
  }

  @Test func `a test waits for contents, and sees all of them with their transitions`() async throws {
    let fixture = ViewFixture(holding: ["40x20"])
    let view = TestDisplay(pipeline: fixture.fixture.pipeline)
    let options = ImageViewOptions(placeholderDelay: .zero, indicator: .activity, transition: .crossFade)
    view.hc.setImage(with: fixture.request("40x20"), placeholder: .icon("wait"), options: options)
    #expect(try await view.content(of: .placeholder).name == "placeholder wait")
    guard case .activity = view.indicator else { throw Missing() }
    fixture.release("40x20")
    #expect(try await view.content(of: .image).name == "image 40x20")
    #expect(view.contents.map(\.name) == ["placeholder wait", "image 40x20"])
    guard case .immediate = view.transitions[0], case .crossFade = view.transitions[1] else { throw Missing() }
    #expect(view.indicator == nil && view.content.name == "image 40x20")
  }

  @Test func `a layout of the view loads its image at another size`() async throws {
    let fixture = ViewFixture()
    let view = TestDisplay(pipeline: fixture.fixture.pipeline)
    view.displaySize = .zero
    view.hc.setImage(with: fixture.request("400x200"))
    #expect(view.hc.isLoading && fixture.fixture.transport.requests.isEmpty)
    view.displaySize = ViewSize(width: 50, height: 50)
    #expect(try await view.content(of: .image).name == "image 50x25")
    view.displayScale = 2
    while view.content.name != "image 100x50", !Task.isCancelled { await Task.yield() }
  }

  @Test func `a cancelled test does not wait`() async throws {
    let fixture = ViewFixture()
    let view = TestDisplay(pipeline: fixture.fixture.pipeline)
    let task = Task { _ = try await view.content(of: .image) }
    while !task.isCancelled {
      await Task.yield()
      task.cancel()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `an animation shows its frames, or waits for being played`() async throws {
    let fixture = PipelineFixture { _ in .failure(.hostNotFound("example.com")) }
    let request = ImageRequest(url: fixture.url, size: .original)
    fixture.pipeline[cached: request] = try AnimatedView.image(frameCount: 3)
    for reducesMotion in [false, true] {
      let view = TestDisplay(pipeline: fixture.pipeline)
      view.reducesMotion = reducesMotion
      view.hc.setImage(with: request)
      _ = try await view.content(of: .image)
      #expect(view.hc.animation.frameCount > 1)
      #expect(view.hc.animation.isPlaying != reducesMotion)
      if reducesMotion { view.hc.animation.play() }
      while view.frames.isEmpty, !Task.isCancelled { await Task.yield() }
    }
  }

  private struct Missing: Error {}
}
