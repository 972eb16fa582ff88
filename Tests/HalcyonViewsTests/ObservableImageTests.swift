import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import Observation
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Images that views built from values observe.
@MainActor @Suite(.unitTest)
struct ObservableImageTests {
  @Test func `a change of the phase is observed`() async throws {
    let view = ViewFixture()
    let image = ObservableImage(pipeline: view.fixture.pipeline)
    image.resize(to: ViewSize(width: 50, height: 50), scale: 2)
    let changes = EventLog<Bool>()
    withObservationTracking {
      _ = image.phase
    } onChange: {
      changes.record(true)
    }
    image.hc.setImage(with: view.request("400x200")) { [ends = view.ends] in ends.record($0.name) }
    #expect(image.phase.isLoading && changes.events.count == 1)
    try await view.ends.waitForEvents(count: 1)
    #expect(image.phase.image?.size == PixelSize(width: 100, height: 50))
  }

  @Test func `a load waits for a size unless its request has one`() async throws {
    let view = ViewFixture()
    let image = ObservableImage(pipeline: view.fixture.pipeline)
    image.hc.setImage(with: view.request("400x200")) { [ends = view.ends] in ends.record($0.name) }
    #expect(view.fixture.transport.requests.isEmpty)
    image.resize(to: ViewSize(width: 10, height: 10), scale: 1)
    try await view.ends.waitForEvents(count: 1)
    var sized = view.request("40x20")
    sized.size = .original
    let other = ObservableImage(pipeline: view.fixture.pipeline)
    other.hc.setImage(with: sized) { [ends = view.ends] in ends.record($0.name) }
    try await view.ends.waitForEvents(count: 2)
    #expect(other.phase.image?.size == PixelSize(width: 40, height: 20))
  }

  @Test func `releasing an image cancels its load, and frees it`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    var image: ObservableImage? = ObservableImage(pipeline: view.fixture.pipeline)
    weak let released = image
    image?.resize(to: ViewSize(width: 10, height: 10), scale: 1)
    image?.hc.setImage(with: view.request("40x20")) { [ends = view.ends] in ends.record($0.name) }
    try await view.waitForRequest("40x20")
    image = nil
    #expect(released == nil)
    #expect(try await view.ends.waitForEvents(count: 1) == ["superseded with cancelled"])
  }

  @Test func `an image that is held only while it is visible is loaded when it becomes so`() async throws {
    let view = ViewFixture()
    let image = ObservableImage(pipeline: view.fixture.pipeline)
    image.resize(to: ViewSize(width: 10, height: 10), scale: 1)
    image.isVisible = false
    let options = ImageViewOptions(onlyWhileVisible: true)
    image.hc.setImage(with: view.request("40x20"), options: options) { [ends = view.ends] in ends.record($0.name) }
    #expect(!image.phase.isLoading && !image.isVisible)
    image.isVisible = true
    #expect(image.phase.isLoading && image.isVisible)
    #expect(try await view.ends.waitForEvents(count: 1) == ["10x5 from network"])
    #expect(image.phase.image?.size == PixelSize(width: 10, height: 5))
  }

  @Test func `the pipeline is made at the first load`() {
    let view = ViewFixture()
    var count = 0
    func pipeline() -> ImagePipeline {
      count += 1
      return view.fixture.pipeline
    }
    let image = ObservableImage(pipeline: pipeline())
    _ = image.phase
    #expect(count == 0)
    image.hc.setImage(with: nil)
    #expect(count == 1)
  }
}
