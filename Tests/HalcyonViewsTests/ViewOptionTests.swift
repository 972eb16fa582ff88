import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonViews

@Suite(.unitTest) struct ViewOptionTests {
  /// Options of which each is set to another value than its default.
  @MainActor private static var all: ImageViewOptions {
    ImageViewOptions(
      placeholder: .icon("all"), placeholderDelay: .seconds(1), keepsCurrentImage: true, failure: .clears,
      indicator: .activity, transition: .crossFade(.seconds(1)), transitionOrigins: [],
      transitionGroup: TransitionGroup(), sizing: .original,
      lowResolution: ImageRequest(source: .string("https://example.com/small")), onlyWhileVisible: true,
      retriesOnTap: true, finishesSuperseded: true, playback: AnimationPlayback(speed: 2),
      renderingMode: .template, alternativeText: "A cat", failureText: "No cat")
  }

  private func unset(_ options: ImageViewOptions) -> [String] {
    Mirror(reflecting: options).children.compactMap { option in
      Mirror(reflecting: option.value).children.isEmpty ? option.label : nil
    }
  }

  @Test @MainActor func `every option is taken from the defaults if it is not set`() {
    #expect(unset(Self.all) == [], "set here every option that there is")
    #expect(unset(ImageViewOptions().over(Self.all)) == [])
    #expect(unset(ImageViewOptions()).count == Mirror(reflecting: Self.all).children.count)
  }

  @Test @MainActor func `an option that is set wins over the defaults, also if it is set to its default`() {
    let options = ImageViewOptions(placeholderDelay: .milliseconds(100), keepsCurrentImage: false, indicator: .hidden)
    let merged = options.over(Self.all)
    #expect(merged.keepsCurrentImage == false)
    #expect(merged.placeholderDelay == .milliseconds(100))
    #expect(merged.indicator?.isHidden == true)
    #expect(merged.retriesOnTap == true)
  }

  @Test @MainActor func `each option that is set wins over that of the defaults`() {
    let all = Self.all
    let others = ImageViewOptions(
      placeholder: .icon("other"), placeholderDelay: .seconds(2), keepsCurrentImage: false,
      failure: .keepsPlaceholder, indicator: .progress, transition: .immediate, transitionOrigins: [.memory],
      transitionGroup: TransitionGroup(), sizing: .view,
      lowResolution: ImageRequest(source: .string("https://example.com/other")), onlyWhileVisible: false,
      retriesOnTap: false, finishesSuperseded: false, playback: AnimationPlayback(speed: 3),
      renderingMode: .original, alternativeText: "A dog", failureText: "No dog")
    let merged = all.over(others)
    for (option, own) in zip(Mirror(reflecting: merged).children, Mirror(reflecting: all).children) {
      #expect("\(option.value)" == "\(own.value)", "\(own.label ?? "")")
    }
    #expect(merged.transitionGroup === all.transitionGroup)
  }

  @Test @MainActor func `the options of a call win over its pipeline's, these over those of the program`() {
    let view = ViewFixture(holding: ["40x20"]) { $0.viewOptions.placeholderDelay = .zero }
    // Other tests of views also run on the main actor, so none runs meanwhile.
    ImageViewOptions.global.placeholderDelay = .seconds(2)
    ImageViewOptions.global.finishesSuperseded = false
    defer { ImageViewOptions.global = ImageViewOptions() }
    #expect(ImageViewOptions().completed(by: view.fixture.pipeline).placeholderDelay == .zero)
    #expect(ImageViewOptions().completed(by: view.fixture.pipeline).finishesSuperseded == false)
    view.set("40x20")
    #expect(view.display.events == ["placeholder dots"], "at once")
    view.set("40x20") { $0.placeholderDelay = .seconds(1) }
    #expect(view.display.events.last == "nothing")
    view.release("40x20")
  }

  @Test @MainActor func `the options of a view apply to all its images; those of a call win over them`() {
    let view = ViewFixture(holding: ["40x20", "30x10", "20x20"]) { $0.viewOptions.indicator = .hidden }
    view.binder.hc.options = ImageViewOptions(placeholderDelay: .zero, indicator: .activity)
    for name in ["40x20", "30x10"] { view.set(name) }
    view.set("20x20") { $0.indicator = .hidden }
    let shown = ["indicator activity", "placeholder dots", "no indicator"]
    #expect(view.display.events == shown + shown + ["placeholder dots"])
  }

  @Test @MainActor func `a default placeholder is shown for every image and without a URL, unless a call has its own`()
  {
    let view = ViewFixture(holding: ["40x20"]) {
      $0.viewOptions = ImageViewOptions(placeholder: .icon("default"), placeholderDelay: .zero)
    }
    view.set("40x20", placeholder: nil)
    view.binder.hc.setImage(with: nil)
    view.binder.hc.setImage(with: nil, options: ImageViewOptions(placeholder: .icon("option")))
    view.binder.hc.setImage(
      with: nil, placeholder: .icon("own"), options: ImageViewOptions(placeholder: .icon("option")))
    #expect(
      view.display.events == [
        "placeholder default", "placeholder default", "placeholder option", "placeholder own",
      ])
    view.release("40x20")
  }

  @Test @MainActor func `options in a list are merged, and a later one wins`() {
    let options: ImageViewOptions = [.fade(), .scaled(by: 1.5), .fade(.seconds(1), always: true)]
    guard case .crossFade(.seconds(1)) = options.transition else {
      Issue.record("\(String(describing: options.transition))")
      return
    }
    let origins: Set<ImageOrigin> = [.memory, .store, .network, .provider, .file, .inline]
    #expect(options.transitionOrigins == origins)
    #expect(options.sizing == .view(factor: 1.5))
    #expect(ImageViewOptions.fade().transitionOrigins == nil, "as the defaults say")
    #expect(unset([]).count == unset(ImageViewOptions()).count)
  }

  @Test @MainActor func `a placeholder with a delay of its own waits for it`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20", placeholder: .icon("late").delayed(by: .seconds(3))) { $0.placeholderDelay = .zero }
    #expect(view.display.events == [])
    await view.clock.waitForSleepers()
    view.clock.advance(by: .milliseconds(2999))
    #expect(view.display.events == [])
    view.clock.advance(by: .milliseconds(1))
    try await view.display.log.waitForEvents(count: 1)
    #expect(view.display.events == ["placeholder late"])
    view.release("40x20")
  }
}
