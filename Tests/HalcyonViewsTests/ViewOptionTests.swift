import HalcyonPipeline
import HalcyonTesting
import TestDoubles
import TestTraits
import Testing

@testable import HalcyonViews

@Suite(.unitTest) struct ViewOptionTests {
  /// Options of which each is set to another value than its default.
  private static var all: ImageViewOptions {
    var options = ImageViewOptions(
      placeholderDelay: .seconds(1), keepsCurrentImage: true, failure: .clears, indicator: .activity,
      transition: .crossFade(.seconds(1)), sizing: .original, previews: PreviewPolicy(),
      lowResolution: ImageRequest(source: .string("https://example.com/small")), onlyWhileVisible: true,
      retriesOnTap: true, animation: AnimationPlayback(speed: 2))
    options.minimumPlaceholderTime = .seconds(2)
    options.transitionOrigins = []
    options.completesAfterTransition = true
    options.yieldsWhenHidden = false
    options.whenSuperseded = .finish
    options.transitionGroup = nil
    return options
  }

  private func unset(_ options: ImageViewOptions) -> [String] {
    Mirror(reflecting: options).children.compactMap { option in
      let isSet = Mirror(reflecting: option.value).children.first { $0.label == "isSet" }?.value as? Bool
      return isSet == true ? nil : option.label
    }
  }

  @Test func `every option is taken from the defaults if it is not set`() {
    #expect(unset(Self.all) == [], "set here every option that there is")
    #expect(unset(ImageViewOptions().over(Self.all)) == [], "an option is missing in the list of ImageViewOptions")
    #expect(ImageViewOptions().over(Self.all).minimumPlaceholderTime == .seconds(2))
    #expect(unset(ImageViewOptions.default).count == unset(ImageViewOptions()).count)
  }

  @Test func `an option that is set overrides the defaults, also if it is set to its default`() {
    var options = ImageViewOptions(keepsCurrentImage: false)
    options.placeholderDelay = .milliseconds(100)
    let merged = options.over(Self.all)
    #expect(!merged.keepsCurrentImage)
    #expect(merged.placeholderDelay == .milliseconds(100))
    #expect(merged.retriesOnTap)
  }

  @Test @MainActor func `views have the default options of the pipeline that loads their image`() async throws {
    let view = ViewFixture(holding: ["40x20"]) { $0.defaultViewOptions.placeholderDelay = .zero }
    view.set("40x20")
    #expect(view.display.events == ["placeholder dots"], "at once")
    view.set("40x20") { $0.placeholderDelay = .seconds(1) }
    #expect(view.display.events.last == "nothing")
    view.release("40x20")
  }
}
