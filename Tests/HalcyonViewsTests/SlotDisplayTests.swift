import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Places for one image, such as the image of a button.
@MainActor @Suite(.unitTest)
struct SlotDisplayTests {
  private final class Button {
    var size = ViewSize(width: 10, height: 10)
    var image: DecodedImage?
    var pixelsPerPoint = 0.0
    var animationCount = 0
  }

  @Test func `a slot shows the image at the size and scale of its view, which it does not retain`() async throws {
    let view = ViewFixture()
    var button: Button? = Button()
    weak let weakButton = button
    let slot = SlotDisplay.Slot(
      size: { [weak button] in button?.size ?? .zero }, scale: { 3 }, mode: { .fill },
      show: { [weak button] content, scale in
        button?.image = content.image
        button?.pixelsPerPoint = scale
      },
      view: { [weak button] in button })
    var prepared: [ImagePipeline] = []
    let display = SlotDisplay(slot, pipeline: view.fixture.pipeline) { prepared.append($0) }
    let transition = ImageTransition.custom {
      ($0.view as? Button)?.animationCount += 1
      $0.end()
    }
    var options = ImageViewOptions(indicator: .activity, transition: transition)
    options.transitionOrigins = [.network]
    display.binder.hc.setImage(with: view.request("90x90"), options: options) { [ends = view.ends] in
      ends.record($0.name)
    }
    try await view.ends.waitForEvents(count: 1)
    #expect(button?.image?.size == PixelSize(width: 30, height: 30))
    #expect(button?.pixelsPerPoint == 3 && button?.animationCount == 1)
    #expect(prepared.count == 1)
    button = nil
    #expect(weakButton == nil)
    withExtendedLifetime(display) {}
  }

  @Test func `a slot without sides waits until it is laid out, and loads at the size of its window`() async throws {
    let view = ViewFixture()
    var slot = SlotDisplay.Slot(size: { .zero }, scale: { 2 }, show: { _, _ in }, view: { nil })
    slot.screen = { ViewSize(width: 20, height: 20) }
    slot.colorSpace = { .source }
    let display = SlotDisplay(slot, pipeline: view.fixture.pipeline)
    #expect(display.displayColorSpace == .source)
    display.isLaidOut = false
    display.binder.hc.setImage(with: view.request("400x200")) { [ends = view.ends] in ends.record($0.name) }
    #expect(!display.binder.phase.isLoading)
    display.isLaidOut = true
    display.binder.displayDidChange()
    #expect(try await view.ends.waitForEvents(count: 1) == ["40x20 from network"])
    withExtendedLifetime(display) {}
  }
}
