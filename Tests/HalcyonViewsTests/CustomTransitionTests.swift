import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Transitions by a closure of the program.
@MainActor @Suite(.unitTest)
struct CustomTransitionTests {
  /// The transitions that a view has begun.
  @MainActor
  private final class Transitions {
    var all: [CustomTransition] = []
  }

  /// Sets an image with a transition that is kept, and waits until it begins.
  private func begin(_ name: String, on view: ViewFixture, keeping transitions: Transitions) async throws {
    let begun = EventLog<Bool>()
    view.set(name) {
      $0.keepsCurrentImage = true
      $0.transition = .custom {
        transitions.all.append($0)
        begun.record(true)
      }
    }
    try await begun.waitForEvents(count: 1)
  }

  @Test func `it gets the view, the old and the new image, shows the new one and ends the load`() async throws {
    let view = ViewFixture()
    try await view.load("30x10")
    let transitions = Transitions()
    try await begin("40x20", on: view, keeping: transitions)
    let transition = try #require(transitions.all.first)
    #expect(transition.view as AnyObject === view.display)
    #expect(transition.oldImage?.size == PixelSize(width: 30, height: 10))
    #expect(transition.newImage?.size == PixelSize(width: 40, height: 20))
    #expect(view.display.events == ["image 30x10"], "the old content stays")
    transition.showImage()
    transition.showImage()
    #expect(view.display.events == ["image 30x10", "image 40x20"])
    #expect(view.ends.events.count == 1, "the completion waits for the end")
    transition.end()
    transition.end()
    #expect(view.ends.events == ["30x10 from network", "40x20 from network"])
    #expect(view.display.events.count == 2)
  }

  @Test func `a closure that forgets the end does not keep the image and the completion`() async throws {
    let view = ViewFixture()
    try await view.load("40x20") { $0.transition = .custom { _ in } }
    #expect(view.display.events == ["image 40x20"])
    #expect(view.ends.events == ["40x20 from network"])
  }

  @Test func `other content ends it, and it shows nothing any more`() async throws {
    let view = ViewFixture()
    let transitions = Transitions()
    try await begin("40x20", on: view, keeping: transitions)
    view.binder.hc.setImage(with: nil)
    #expect(view.ends.events == ["40x20 from network"])
    let count = view.display.events.count
    transitions.all.first?.showImage()
    transitions.all.first?.end()
    #expect(view.display.events.count == count && view.ends.events.count == 1)
  }

  @Test func `the release of the view ends it, although the transition is kept`() async throws {
    let view = ViewFixture()
    var display: RecordingDisplay? = RecordingDisplay()
    weak let released = display
    let transitions = Transitions()
    var binder: ImageViewBinder? = ImageViewBinder(display: try #require(display), time: view.clock) {
      view.fixture.pipeline
    }
    let begun = EventLog<Bool>()
    view.set("40x20", on: binder) {
      $0.transition = .custom {
        transitions.all.append($0)
        begun.record(true)
      }
    }
    try await begun.waitForEvents(count: 1)
    (binder, display) = (nil, nil)
    #expect(try await view.ends.waitForEvents(count: 1) == ["40x20 from network"])
    transitions.all = []
    #expect(released == nil && binder == nil)
  }
}
