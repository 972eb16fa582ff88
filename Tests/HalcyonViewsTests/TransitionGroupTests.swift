import HalcyonViews
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
@MainActor
final class TransitionGroupTests {
  private let names = ["40x20", "30x10", "20x20"]
  /// Keeps binders alive: optimised code would release them after their last use in a test.
  private var held: [ImageViewBinder] = []

  /// One view for each name, with a shared server.
  private func binders(_ view: ViewFixture) -> (displays: [RecordingDisplay], binders: [ImageViewBinder]) {
    let displays = names.map { _ in RecordingDisplay() }
    let binders = displays.map { ImageViewBinder(display: $0, time: view.clock) { view.fixture.pipeline } }
    held += binders
    return (displays, binders)
  }

  @Test func `images of a group are shown together when the last one has loaded`() async throws {
    let view = ViewFixture(holding: names)
    let (displays, binders) = binders(view)
    TransitionGroup.together { group in
      for (name, binder) in zip(names, binders) {
        view.set(name, on: binder) {
          $0.transitionGroup = group
          $0.indicator = .activity
        }
      }
    }
    for (name, display) in zip(names, displays).dropLast() {
      view.release(name)
      try await display.waitForShow("expects \(name)")
      // Joins the load in flight, or reads its image from memory.
      try await view.warm(name)
    }
    #expect(displays.allSatisfy { $0.events == ["indicator activity"] })
    #expect(binders.allSatisfy { $0.isLoading })
    view.release(names[2])
    try await view.ends.waitForEvents(count: 1)
    #expect(displays.map { $0.events.last } == names.map { "image \($0)" })
    #expect(view.ends.events == names.map { "\($0) from network" })
  }

  @Test func `images in memory wait for the rest of their group`() async throws {
    let view = ViewFixture()
    try await view.warm(names[0])
    let (displays, binders) = binders(view)
    try await view.warm(names[1])
    TransitionGroup.together { group in
      for (name, binder) in zip(names, binders).prefix(2) {
        view.set(name, on: binder) {
          $0.transitionGroup = group
          $0.placeholderDelay = .zero
        }
      }
      #expect(view.ends.events == [])
    }
    let events = [["placeholder dots", "image 40x20"], ["placeholder dots", "image 30x10"]]
    #expect(displays.prefix(2).map(\.events) == events)
    #expect(view.ends.events == ["40x20 from memory", "30x10 from memory"])
  }

  @Test func `a group whose closure throws shows the images that have joined it`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    try? TransitionGroup.together { group in
      view.set("40x20") { $0.transitionGroup = group }
      throw CancellationError()
    }
    #expect(view.display.events == ["image 40x20"])
  }

  @Test func `a failed image shows its failure content together with the group`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let (displays, binders) = binders(view)
    TransitionGroup.together { group in
      for (name, binder) in zip(["40x20", "down"], binders) {
        view.set(name, on: binder) {
          $0.transitionGroup = group
          $0.failure = .shows(.icon("broken"))
        }
      }
    }
    view.release("40x20")
    try await view.ends.waitForEvents(count: 2)
    #expect(displays.prefix(2).map(\.events) == [["image 40x20"], ["failure broken"]])
    #expect(view.ends.events == ["40x20 from network", "httpStatus"])
  }

  @Test func `the last view of a group, which has no URL, does not delay it`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    let (displays, binders) = binders(view)
    let group = TransitionGroup(count: 2)
    view.set("40x20", on: binders[0]) { $0.transitionGroup = group }
    #expect(displays[0].events == [])
    var options = ImageViewOptions()
    options.transitionGroup = group
    binders[1].hc.setImage(with: nil, options: options)
    #expect(displays[0].events == ["image 40x20"] && !group.isLoading)
  }

  @Test func `cancelled, superseded and released views do not delay their group`() async throws {
    let view = ViewFixture(holding: ["9x9"])
    try await view.warm("40x20")
    let displays = names.map { _ in RecordingDisplay() }
    var binders = displays.map { ImageViewBinder(display: $0, time: view.clock) { view.fixture.pipeline } }
    let group = TransitionGroup()
    for binder in binders { view.set("9x9", on: binder) { $0.transitionGroup = group } }
    view.set("40x20") { $0.transitionGroup = group }
    group.close()
    binders[0].cancel()
    binders[1].hc.setImage(with: nil)
    #expect(view.display.events == [])
    binders.removeLast()
    try await view.ends.waitForEvents(count: 4)
    #expect(view.display.events == ["image 40x20"])
    #expect(displays.map(\.events) == [[], ["nothing"], []])
  }

  @Test func `a group of a known size completes without being closed, and is used once`() async throws {
    let view = ViewFixture()
    for name in names { try await view.warm(name) }
    let (displays, binders) = binders(view)
    let group = TransitionGroup(count: 2)
    for (number, endCount) in [0, 2, 3].enumerated() {
      view.set(names[number], on: binders[number]) { $0.transitionGroup = group }
      #expect(view.ends.events.count == endCount)
    }
    #expect(displays.map(\.events) == names.map { ["image \($0)"] })
  }

  @Test func `a group of none is not loading, and shows each image when it is loaded`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    let group = TransitionGroup(count: 0)
    #expect(!group.isLoading)
    view.set("40x20") { $0.transitionGroup = group }
    #expect(view.display.events == ["image 40x20"])
  }

  @Test func `placeholders of a group are replaced together, however late they appeared`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    try await view.warm("30x10")
    let (displays, binders) = binders(view)
    TransitionGroup.together { group in
      for (name, binder) in zip(["40x20", "30x10"], binders) {
        view.set(name, on: binder) { $0.transitionGroup = group }
      }
    }
    await view.clock.waitForSleepers(2)
    view.clock.advance(by: .seconds(1))
    for display in displays.prefix(2) { try await display.waitForShow("placeholder dots") }
    view.release("40x20")
    try await view.ends.waitForEvents(count: 2)
    #expect(displays.prefix(2).map(\.events.last) == ["image 40x20", "image 30x10"])
  }

  @Test func `views of a group show placeholders while loading, but no previews`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    try await view.warm("4x2")
    let group = TransitionGroup(count: 2)
    view.set("40x20") {
      $0.transitionGroup = group
      $0.lowResolution = view.request("4x2")
      $0.placeholderDelay = .zero
    }
    #expect(view.display.events == ["placeholder dots"])
  }

  @Test func `a group is loading until its images are shown, for one indicator beside them`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let (displays, binders) = binders(view)
    let group = TransitionGroup(count: 2)
    var shown: [[String]] = []
    group.onShow = { shown.append(displays.prefix(2).map { $0.events.last ?? "" }) }
    for (name, binder) in zip(["40x20", "30x10"], binders) { view.set(name, on: binder) { $0.transitionGroup = group } }
    try await displays[1].waitForShow("expects 30x10")
    #expect(group.isLoading && shown == [])
    view.release("40x20")
    try await view.ends.waitForEvents(count: 2)
    #expect(!group.isLoading)
    #expect(shown == [["image 40x20", "image 30x10"]], "called once, when both are shown")
  }

  @Test func `a completion that sets an image in its group shows that when it is loaded`() async throws {
    let view = ViewFixture()
    for name in names { try await view.warm(name) }
    let (displays, binders) = binders(view)
    let group = TransitionGroup(count: 1)
    var (options, showCount) = (ImageViewOptions(), 0)
    options.transitionGroup = group
    group.onShow = { showCount += 1 }
    binders[0].hc.setImage(with: view.request(names[0]), options: options) { [names] _ in
      view.set(names[1], on: binders[1]) { $0.transitionGroup = group }
    }
    #expect(displays.prefix(2).map(\.events) == [["image 40x20"], ["image 30x10"]])
    #expect(showCount == 1)
  }

  @Test func `a view built from values counts once in its group, however often it is evaluated`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    let model = ImagePhaseModel(pipeline: view.fixture.pipeline, time: view.clock)
    model.resize(to: ViewSize(width: 50, height: 50), scale: 2)
    let group = TransitionGroup(count: 2)
    var update = ImagePhaseModel.Update(request: view.request("40x20"))
    update.options.transitionGroup = group
    for _ in 0..<2 { model.apply(update) }
    #expect(group.isLoading)
    #expect(model.content.isEmpty)
  }

  /// As in SwiftUI, where each evaluation of a view may make another group.
  @Test func `of five views built from values, one changes its URL, and its group does not wait for the others`()
    async throws
  {
    let view = ViewFixture()
    let names = ["40x20", "30x10", "20x20", "10x10", "8x8"]
    let models = names.map { _ in ImagePhaseModel(pipeline: view.fixture.pipeline, time: view.clock) }
    func apply(_ names: [String]) {
      let group = TransitionGroup(count: 5)
      for (name, model) in zip(names, models) {
        var update = ImagePhaseModel.Update(request: view.request(name))
        update.options.transitionGroup = group
        update.completion = { [ends = view.ends] in ends.record($0.name) }
        #expect(update.identity == update.identity)
        model.apply(update)
      }
    }
    for model in models {
      model.resize(to: ViewSize(width: 50, height: 50), scale: 2)
      model.isVisible = true
    }
    apply(names)
    try await view.ends.waitForEvents(count: 5)
    #expect(models.map(\.content.name) == names.map { "image \($0)" })
    apply(["4x4"] + names.dropFirst())
    try await view.ends.waitForEvents(count: 6)
    #expect(models[0].content.name == "image 4x4")
    #expect(view.fixture.transport.requests.count == 6)
  }
}
