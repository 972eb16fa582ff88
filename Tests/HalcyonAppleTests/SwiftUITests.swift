import Foundation
import Halcyon
import HalcyonApple
import HalcyonTesting
import HalcyonViews
import SwiftUI
import HalcyonTestSupport
import HalcyonTestTraits
import Observation
import Testing

/// Views of SwiftUI, whose bodies are evaluated and whose modifiers are called.
// One at a time: the environment and animations are the same for all views.
@MainActor @Suite(.integrationTest, .serialized)
struct SwiftUITests: SwiftUIStage {
  private let fixture = AppleFixture()

  @Test func `content is built from the phases of a load`() async throws {
    let phases = EventLog<String>()
    let view = HalcyonImage(url: fixture.url("80x40")) { phase in
      switch phase {
      case .empty: phases.record("empty")
      case .loading: phases.record("loading")
      case .success(let image): phases.record("\(image.size)")
      default: phases.record("other")
      }
      return Color.clear
    }
    .pipeline(fixture.pipeline)
    .onCompletion(fixture.completion)
    show(view)
    _ = images(view.body)
    try await fixture.ends.waitForEvents(count: 1)
    _ = images(view.body)
    #expect(phases.events == ["empty", "loading", "40x20"])
  }

  @Test func `a content that is empty at first has its image, which covers the size that is proposed to the view`()
    async throws
  {
    let view = HalcyonImage(url: fixture.url("80x40")) { phase in
      if let image = phase.swiftUIImage { image.resizable() }
    }
    .pipeline(fixture.pipeline)
    .onCompletion(fixture.completion)
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    // The same pixels at each evaluation, so that they go to the screen once.
    let pixels = (0..<100).flatMap { _ in images(view.body).compactMap(\.pixels) }
    #expect(pixels.count == 100 && pixels.allSatisfy { $0 === pixels[0] } && pixels[0].width == 40)
  }

  @Test(arguments: [false, true])
  func `the frames of an animation evaluate what shows it, not the view around it`(hasClosure: Bool) async throws {
    func check(_ view: HalcyonImage<some View>) async throws {
      show(view)
      try await fixture.ends.waitForEvents(count: 1)
      let count = EventLog<Bool>()
      withObservationTracking {
        _ = view.body
      } onChange: {
        count.record(true)
      }
      let model = try #require(view.states.lazy.compactMap { $0.kept as? ObservableImage }.first).model
      let image = try #require(model.content.image)
      model.showFrame(try AppleFixture.bitmap(width: image.size.width, height: image.size.height))
      #expect(count.events.isEmpty)
    }
    let url = fixture.url("gif")
    if hasClosure {
      try await check(
        HalcyonImage(url: url) { $0.swiftUIImage }.pipeline(fixture.pipeline).onCompletion(fixture.completion))
    } else {
      try await check(HalcyonImage(url: url, pipeline: fixture.pipeline).onCompletion(fixture.completion))
    }
  }

  @Test(
    arguments: [(10, 0, "20x10", 5), (0, 10, "40x20", 10), (0, 0, "80x40", 20)] as [(CGFloat, CGFloat, String, CGFloat)]
  )
  func `a side that is not proposed is the image's`(
    width: CGFloat, height: CGFloat, decoded: String, idealHeight: CGFloat
  ) async throws {
    let view = HalcyonImage(url: fixture.url("80x40"), pipeline: fixture.pipeline).onCompletion(fixture.completion)
    show(view, width: width, height: height)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(fixture.ends.events == [decoded])
    let ideals = modifiers(view.body).compactMap(\.idealSize).filter { $0 != .zero }
    #expect(ideals == [CGSize(width: idealHeight * 2, height: idealHeight)])
  }

  @Test func `modifiers that change later apply to the load that goes on`() async throws {
    let log = EventLog<String>()
    func view(_ number: Int) -> HalcyonImage<HalcyonImageContent> {
      HalcyonImage(url: fixture.url("recovering"), pipeline: fixture.pipeline)
        .placeholder { Text("placeholder \(number)") }
        .options { $0.placeholderDelay = .zero }
        .alternativeText("text \(number)")
        .retriesOnTap(number > 0)
        .cancelsOnDisappear(number > 0)
        .onCompletion { _ in log.record("end \(number)") }
    }
    let first = view(0)
    show(first)
    #expect(views(of: Text.self, in: first.body).map(\.text) == ["placeholder 0"])
    let second = first.keepingState(in: view(1))
    #expect(views(of: Text.self, in: second.body).map(\.text).contains("placeholder 1"))
    #expect(try await log.waitForEvents(count: 1) == ["end 1"])
    #expect(labels(second.body) == ["The image could not be loaded."])
    let tap = try #require(modifiers(second.body).compactMap(\.onTap).first)
    tap()
    let third = first.keepingState(in: view(2))
    _ = third.body
    #expect(try await log.waitForEvents(count: 2) == ["end 1", "end 2"])
    #expect(images(third.body).map(\.label?.text) == ["text 2"])
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `cancelling when the view disappears can be turned on while it loads`() async throws {
    func view(_ cancels: Bool) -> HalcyonImage<HalcyonImageContent> {
      HalcyonImage(url: fixture.url("80x40"), pipeline: fixture.pipeline)
        .onCompletion(fixture.completion).cancelsOnDisappear(cancels)
    }
    let first = view(false)
    show(first)
    hide(first.keepingState(in: view(true)))
    #expect(fixture.ends.events.count == 1 && fixture.ends.events[0].hasPrefix("The view's load was cancelled"))
  }

  @Test func `the pipeline can come from the environment`() async throws {
    EnvironmentValues.current.imagePipeline = fixture.pipeline
    let view = HalcyonImage(url: fixture.url("80x40")).onCompletion(fixture.completion)
    EnvironmentValues.current.imagePipeline = nil
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(fixture.ends.events == ["20x10"])
  }

  @Test func `a fade animates the change to the image, and the priority is the request's`() async throws {
    let (priorities, durations) = (EventLog<ImagePriority?>(), EventLog<TimeInterval?>())
    let fixture = AppleFixture {
      $0.eventHandler = { if let request = $0.request { priorities.record(request.priority) } }
    }
    let view = HalcyonImage(url: fixture.url("80x40"), pipeline: fixture.pipeline)
      .fade(.milliseconds(200)).priority(.high).onCompletion(fixture.completion)
    show(view)
    let model = try #require(view.states.lazy.compactMap { $0.kept as? ObservableImage }.first).model
    withObservationTracking {
      _ = model.content
    } onChange: {
      MainActor.assumeIsolated { durations.record(Animation.current?.duration) }
    }
    try await durations.waitForEvents(count: 1)
    #expect(durations.events == [0.2])
    #expect(fixture.ends.events.isEmpty, "the completion waits for the end of the transition")
    Animation.endAll()
    try await fixture.ends.waitForEvents(count: 1)
    #expect(!priorities.events.isEmpty && priorities.events.allSatisfy { $0 == .high })
  }

  @Test func `a transition ends with the view that disappears, or with the next content`() async throws {
    func view(_ name: String) -> HalcyonImage<HalcyonImageContent> {
      HalcyonImage(url: fixture.url(name), pipeline: fixture.pipeline).fade().onCompletion(fixture.completion)
    }
    let first = view("80x40")
    show(first)
    let model = try #require(first.states.lazy.compactMap { $0.kept as? ObservableImage }.first).model
    while model.content.isEmpty { try await Task.yieldUnlessCancelled() }
    #expect(fixture.ends.events.isEmpty)
    hide(first)
    #expect(fixture.ends.events == ["20x10"])
    let second = first.keepingState(in: view("60x60"))
    show(second)
    while model.content.image?.size.height != 20 { try await Task.yieldUnlessCancelled() }
    #expect(fixture.ends.events.count == 1)
    show(first.keepingState(in: HalcyonImage(url: nil, pipeline: fixture.pipeline)))
    try await fixture.ends.waitForEvents(count: 2)
    Animation.endAll()
    #expect(fixture.ends.events.count == 2)
  }

  @Test func `an image that is resizable fills the view, and may be a template`() async throws {
    let view = HalcyonImage(url: fixture.url("80x4"), pipeline: fixture.pipeline)
      .resizable().renderingMode(.template).onCompletion(fixture.completion)
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(fixture.ends.events == ["80x4"])
    #expect(images(view.body).map(\.mode) == [.template])
  }

  @Test func `a binding plays and pauses an animation, and is false at its end`() async throws {
    let isPlaying = EventLog<Bool>()
    func view(_ plays: Bool) -> HalcyonImage<HalcyonImageContent> {
      HalcyonImage(url: fixture.url("gif"), pipeline: fixture.pipeline)
        .options { $0.playback = AnimationPlayback(loopCount: .times(1)) }
        .playsAnimation(Binding(get: { plays }, set: { isPlaying.record($0) }))
        .onCompletion(fixture.completion)
    }
    let first = view(false)
    show(first)
    try await fixture.ends.waitForEvents(count: 1)
    let animation = try #require(first.states.lazy.compactMap { $0.kept as? ObservableImage }.first).hc.animation
    #expect(animation.frameCount == 3 && !animation.isPlaying)
    func update(_ plays: Bool) {
      for modifier in modifiers(first.keepingState(in: view(plays)).body) { modifier.onValueChange?() }
    }
    update(true)
    #expect(animation.isPlaying)
    update(false)
    #expect(!animation.isPlaying)
    update(true)
    #expect(try await isPlaying.waitForEvents(count: 1) == [false])
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `a placeholder and an indicator that are added while the image is loading are shown`() async throws {
    func view(_ isComplete: Bool) -> HalcyonImage<HalcyonImageContent> {
      let view = HalcyonImage(url: fixture.url("80x40"), pipeline: fixture.pipeline)
        .options {
          $0.placeholderDelay = .zero
          $0.indicator = isComplete ? .activity : .hidden
        }
        .onCompletion(fixture.completion)
      return isComplete ? view.placeholder { Text("wait") } : view
    }
    let first = view(false)
    func evaluate(_ isComplete: Bool) -> (texts: [String], indicators: Int) {
      let next = first.keepingState(in: view(isComplete))
      for modifier in modifiers(next.body) { modifier.onValueChange?() }
      return (views(of: Text.self, in: next.body).map(\.text), views(of: ProgressView.self, in: next.body).count)
    }
    for modifier in modifiers(first.body) { modifier.onAppear?() }
    #expect(evaluate(false) == ([], 0))
    #expect(evaluate(true) == (["wait"], 1))
    #expect(evaluate(false).indicators == 0)
    show(first.keepingState(in: view(true)))
    try await fixture.ends.waitForEvents(count: 1)
    #expect(evaluate(true) == ([], 0))
  }

  @Test func `the content mode is a modifier`() async throws {
    let view = HalcyonImage(url: fixture.url("80x40"), pipeline: fixture.pipeline)
      .contentMode(.fill).onCompletion(fixture.completion)
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(fixture.ends.events == ["20x20"])
  }

  @Test func `a failed load is a phase, and a tap retries it`() async throws {
    let log = EventLog<String>()
    let view = HalcyonImage(url: fixture.url("recovering")) { phase in
      if phase.error != nil { log.record("failed") }
      if phase.image != nil { log.record("shown") }
      return Color.clear
    }
    .pipeline(fixture.pipeline)
    .retriesOnTap()
    .onFailure { _ in log.record("failure") }
    show(view)
    #expect(modifiers(view.body).allSatisfy { $0.onTap == nil })
    try await log.waitForEvents(count: 1)
    let body = modifiers(view.body)
    #expect(log.events == ["failure", "failed"])
    body.compactMap(\.onTap).first?()
    while log.events.last != "shown" {
      _ = images(view.body)
      await Task.yield()
    }
  }

  @Test func `modifiers change the request, the options and what is called`() async throws {
    let log = EventLog<String>()
    let view = HalcyonImage(url: fixture.url("80x40"), mode: .fill, pipeline: fixture.pipeline)
      .priority(.high)
      .processors([.grayscale])
      .fade()
      .onProgress { _ in log.record("progress") }
      .onSuccess { log.record("\($0.image.size)") }
      .onSuccess { _ in log.record("both") }
    show(view)
    while log.events.last != "both", !Task.isCancelled {
      await Task.yield()
      Animation.endAll()
    }
    #expect(log.events.contains("20x20"))
    let image = try #require(images(view.body).first)
    let pixel = try DecodedImage(#require(image.pixels)).bitmap[0, 0]
    #expect(pixel.red == pixel.green && pixel.green == pixel.blue)
  }

  @Test func `a view that disappears cancels its load if asked to, and loads when it appears again`() async throws {
    let view = HalcyonImage(
      url: fixture.url("80x40"), pipeline: fixture.pipeline
    ).onCompletion(fixture.completion)
      .cancelsOnDisappear()
    show(view)
    hide(view)
    #expect(fixture.ends.events.count == 1 && fixture.ends.events[0].hasPrefix("The view's load was cancelled"))
    show(view)
    try await fixture.ends.waitForEvents(count: 2)
    #expect(fixture.ends.events.last == "20x10")
  }

  @Test func `an animation plays while the view is visible`() async throws {
    let view = HalcyonImage(url: fixture.url("gif"), pipeline: fixture.pipeline).onCompletion(fixture.completion)
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    func red() throws -> UInt8 {
      let pixels = try #require(images(view.body).first?.pixels)
      return try DecodedImage(pixels).bitmap[0, 0].red
    }
    for value in [10, 20, 30, 10] as [UInt8] {
      while try red() != value, !Task.isCancelled { await Task.yield() }
    }
  }

  @Test func `a tap's retry has its progress and its result in the closures of the view`() async throws {
    let log = EventLog<String>()
    let view = HalcyonImage(
      url: fixture.url("recovering"), options: ImageViewOptions(retriesOnTap: true), pipeline: fixture.pipeline
    )
    .onFailure { _ in log.record("failure") }
    .onSuccess { _ in log.record("success") }
    show(view)
    try await log.waitForEvents(count: 1)
    modifiers(view.body).compactMap(\.onTap).first?()
    #expect(try await log.waitForEvents(count: 2) == ["failure", "success"])
  }

  @Test func `a placeholder and an indicator can be views`() async throws {
    let options = ImageViewOptions(
      placeholder: .view { Text("none") }, placeholderDelay: .zero, indicator: .custom { ProgressView(value: 0.5) })
    let view = HalcyonImage(url: fixture.url("80x40"), options: options, pipeline: fixture.pipeline)
    show(view, width: 0)
    #expect(views(of: Text.self, in: view.body).count == 1)
    #expect(views(of: ProgressView.self, in: view.body).map(\.value) == [0.5])
  }

  @Test(
    arguments: [
      ("A red image", nil, ["The image could not be loaded."]), ("A red image", "No image", ["No image"]),
      (nil, nil, []),
    ] as [(String?, String?, [String])])
  func `a screen reader says that an image could not be loaded, unless images are decorative`(
    text: String?, failureText: String?, expected: [String]
  ) async throws {
    let view = HalcyonImage(url: fixture.url("gone"), pipeline: fixture.pipeline)
      .onCompletion(fixture.completion)
      .alternativeText(text)
      .options { $0.failureText = failureText }
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(labels(view.body) == expected)
  }

  @Test func `a view that is evaluated again makes no second model`() throws {
    func view() -> HalcyonImage<HalcyonImageContent> { HalcyonImage(url: nil, pipeline: fixture.pipeline) }
    var evaluations = [view()]
    for _ in 0..<3 { evaluations.append(evaluations[0].keepingState(in: view())) }
    for view in evaluations { show(view) }
    let models = evaluations.flatMap(\.states).compactMap { $0.own as? ObservableImage }.map { image in
      Mirror(reflecting: image).descendant("$__lazy_storage_$_model").flatMap { $0 as? ImagePhaseModel }
    }
    #expect(models.map { $0 != nil } == [true, false, false, false])
  }

  @Test func `a view of the program's own shows the phases of an image that it observes`() async throws {
    struct Own: View {
      let url: URL
      let completion: ImageViewProxy.Completion
      @State private var image: ObservableImage

      init(_ fixture: AppleFixture) {
        (url, completion) = (fixture.url("80x40"), fixture.completion)
        image = ObservableImage(pipeline: fixture.pipeline)
      }

      var body: some View {
        VStack { if let shown = image.phase.swiftUIImage { shown } else { ProgressView() } }
          .onGeometryChange(for: CGSize.self, of: \.size) { size in
            image.resize(to: ViewSize(width: size.width, height: size.height), scale: 2)
          }
          .onAppear { image.hc.setImage(with: url, completion: completion) }
      }
    }
    let view = Own(fixture)
    #expect(views(of: ProgressView.self, in: view.body).count == 1)
    show(view)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(images(view.body).first?.pixels?.width == 20)
  }
}
