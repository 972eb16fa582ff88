#if canImport(UIKit)
import Foundation
import Halcyon
import HalcyonApple
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestTraits
import Testing
import UIKit

/// Views of UIKit that are in a window.
// One at a time: settings and notifications of the system are the same for all views.
@MainActor @Suite(.integrationTest, .serialized)
struct UIKitTests {
  let fixture = AppleFixture()
  let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 300, height: 300))
  let square = CGRect(x: 0, y: 0, width: 10, height: 10)

  func imageView(_ mode: UIView.ContentMode = .scaleAspectFit) -> UIImageView {
    let view = UIImageView(frame: square)
    view.contentMode = mode
    view.hc.pipeline = fixture.pipeline
    window.addSubview(view)
    return view
  }

  func pixels(_ image: UIImage?) -> [Int?] { [image?.cgImage?.width, image?.cgImage?.height] }

  @Test(arguments: [
    (UIView.ContentMode.scaleAspectFit, "80x40", [20, 10]), (.scaleAspectFill, "80x40", [20, 20]),
    (.scaleToFill, "80x40", [40, 20]), (.scaleToFill, "8x4", [8, 4]), (.scaleToFill, "80x4", [80, 4]),
  ])
  func `an image is decoded for the view's pixels, and a small one is not enlarged in memory`(
    mode: UIView.ContentMode, name: String, expected: [Int?]
  ) async throws {
    let view = imageView(mode)
    view.hc.setImage(with: fixture.url(name), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(pixels(view.image) == expected)
    #expect(view.image?.scale == 2)
  }

  @Test func `a view loads when it has a size, and again when it has grown`() async throws {
    let view = imageView()
    view.frame = .zero
    view.hc.setImage(with: fixture.url("400x400"), completion: fixture.completion)
    #expect(view.hc.isLoading && fixture.transport.requests.isEmpty)
    view.frame = square
    try await fixture.ends.waitForEvents(count: 1)
    #expect(pixels(view.image) == [20, 20])
    let isLarger = EventLog<Bool>()
    view.frame = CGRect(x: 0, y: 0, width: 50, height: 50)
    view.hc.setImage(with: fixture.url("400x400")) { _ in isLarger.record(true) }
    try await isLarger.waitForEvents(count: 1)
    #expect(pixels(view.image) == [100, 100])
  }

  @Test func `a custom transition gets the view, shows the image and ends the load`() async throws {
    let view = imageView()
    let begun = EventLog<Bool>()
    var transition: CustomTransition?
    let options = ImageViewOptions(
      transition: .custom {
        transition = $0
        begun.record(true)
      })
    view.hc.setImage(with: fixture.url("40x20"), options: options, completion: fixture.completion)
    try await begun.waitForEvents(count: 1)
    #expect(transition?.view as? UIImageView === view && view.image == nil)
    transition?.showImage()
    #expect(view.image != nil && fixture.ends.events == [])
    transition?.end()
    #expect(fixture.ends.events == ["20x10"])
  }

  @Test func `a released view cancels its load`() async throws {
    var view: UIImageView? = imageView()
    view?.frame = .zero
    view?.hc.setImage(with: fixture.url("40x20"), completion: fixture.completion)
    view?.removeFromSuperview()
    view = nil
    try await fixture.ends.waitForEvents(count: 1)
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `the completion waits for the end of the cross-fade`() async throws {
    let view = imageView()
    let options = ImageViewOptions(transition: .crossFade)
    let shown = EventLog<Bool>()
    let task = Task {
      while view.image == nil, !Task.isCancelled { await Task.yield() }
      shown.record(true)
    }
    view.hc.setImage(with: fixture.url("40x20"), options: options, completion: fixture.completion)
    try await shown.waitForEvents(count: 1)
    await task.value
    #expect(fixture.ends.events == [])
    UIView.endTransitions()
    #expect(fixture.ends.events == ["20x10"])
  }

  @Test func `a tap on a failed view loads its image again, other taps pass through`() async throws {
    let view = imageView()
    let options = ImageViewOptions(retriesOnTap: true)
    view.hc.setImage(with: fixture.url("recovering"), options: options, completion: fixture.completion)
    let middle = CGPoint(x: 5, y: 5)
    #expect(view.hitTest(middle, with: nil) === view)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(fixture.ends.events == ["404"])
    let control = try #require(view.hitTest(middle, with: nil) as? UIControl)
    control.sendActions(for: .touchUpInside)
    while view.image == nil, !Task.isCancelled { await Task.yield() }
    #expect(view.hitTest(middle, with: nil) === view)
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `an animation plays with the updates of the window, and is paused without one`() async throws {
    let view = imageView()
    view.hc.setImage(with: fixture.url("gif"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(view.hc.animation.frameCount == 3)
    func red() throws -> UInt8 {
      let image = try #require(view.image)
      return try DecodedImage(image).bitmap[0, 0].red
    }
    func playUntil(_ value: UInt8) async throws {
      while try red() != value {
        CADisplayLink.step()
        await Task.yield()
      }
    }
    for value in [10, 20, 30, 10] as [UInt8] { try await playUntil(value) }
    #expect(view.hc.animation.isPlaying)
    view.removeFromSuperview()
    let frame = view.hc.animation.currentFrame
    for _ in 0..<100 { CADisplayLink.step() }
    #expect(view.hc.animation.currentFrame == frame)
    window.addSubview(view)
    try await playUntil(20)
    let links = CADisplayLink.links.count
    view.hc.animation.pause()
    #expect(!view.hc.animation.isPlaying)
    #expect(CADisplayLink.links.count == links - 1)
  }

  @Test func `a screen reader is told the alternative text of an image, and of a failed one how to go on`() async throws
  {
    let view = imageView()
    var options = ImageViewOptions(retriesOnTap: true, alternativeText: "A red square", failureText: "No square")
    view.hc.setImage(with: fixture.url("gone"), options: options, completion: fixture.completion)
    #expect(view.isAccessibilityElement && view.accessibilityLabel == "A red square")
    try await fixture.ends.waitForEvents(count: 1)
    #expect(view.accessibilityValue == "No square")
    let control = try #require(view.subviews.first { $0 is UIControl })
    #expect(control.isAccessibilityElement && control.accessibilityLabel == "No square")
    options.alternativeText = nil
    view.hc.setImage(with: fixture.url("40x20"), options: options, completion: fixture.completion)
    #expect(!view.isAccessibilityElement && view.accessibilityLabel == nil)
    #expect(!control.isAccessibilityElement)
    try await fixture.ends.waitForEvents(count: 2)
  }

  @Test func `with reduced motion an animation waits for being played`() async throws {
    UIAccessibility.isReduceMotionEnabled = true
    defer { UIAccessibility.isReduceMotionEnabled = false }
    let view = imageView()
    view.hc.setImage(with: fixture.url("gif"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(view.hc.animation.frameCount == 3 && !view.hc.animation.isPlaying)
    view.hc.animation.play()
    #expect(view.hc.animation.isPlaying)
  }

  @Test func `an image that the program sets is not replaced by the next frame`() async throws {
    let view = imageView()
    view.hc.setImage(with: fixture.url("gif"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    let own = UIImage()
    view.image = own
    let moved = EventLog<AnimationEvent>()
    view.hc.animation.onEvent = { moved.record($0) }
    while !moved.events.contains(where: { if case .frameChanged = $0 { true } else { false } }) {
      CADisplayLink.step()
      await Task.yield()
    }
    #expect(view.image === own)
  }

  @Test func `the indicator is shown while an image is loading`() async throws {
    let view = imageView()
    var options = ImageViewOptions(indicator: .activity)
    view.frame = .zero
    view.hc.setImage(with: fixture.url("40x20"), options: options, completion: fixture.completion)
    func indicators() -> Int { view.subviews.count { $0 is UIActivityIndicatorView || $0 is UIProgressView } }
    #expect(indicators() == 1)
    view.frame = square
    try await fixture.ends.waitForEvents(count: 1)
    #expect(indicators() == 0)
    options.indicator = .progress
    view.hc.setImage(with: fixture.url("44x20"), options: options, completion: fixture.completion)
    #expect(view.subviews.contains { $0 is UIProgressView })
    try await fixture.ends.waitForEvents(count: 2)
    #expect(indicators() == 0)
  }

  @Test func `a button has an image and a background image for each state`() async throws {
    let button = UIButton(frame: square)
    window.addSubview(button)
    let own = UIImage()
    button.setImage(own, for: .normal)
    for binder in [button.hc.image(for: .normal), button.hc.backgroundImage(for: .selected)] {
      binder.pipeline = fixture.pipeline
    }
    button.hc.setImage(with: fixture.url("80x40"), for: .normal, completion: fixture.completion)
    #expect(button.image(for: .normal) === own)
    button.hc.setBackgroundImage(with: fixture.url("60x60"), for: .selected, completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 2)
    #expect(pixels(button.image(for: .normal)) == [20, 10])
    #expect(button.image(for: .normal)?.renderingMode == .alwaysOriginal)
    #expect(pixels(button.backgroundImage(for: .selected)) == [20, 20])
    #expect(button.backgroundImage(for: .normal) == nil)
    #expect(button.hc.image(for: .normal).binder === button.hc.image(for: .normal).binder)
    let failing = UIImage()
    let options = ImageViewOptions(failure: .shows(.uiImage(failing)))
    button.hc.setImage(with: fixture.url("gone"), for: .normal, options: options, completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 3)
    #expect(button.image(for: .normal) === failing)
  }

  @Test func `a button without a size loads after its layout`() async throws {
    let button = UIButton(frame: .zero)
    window.addSubview(button)
    button.hc.image(for: .normal).pipeline = fixture.pipeline
    button.hc.setImage(with: fixture.url("80x40"), for: .normal, completion: fixture.completion)
    #expect(fixture.transport.requests.isEmpty)
    button.frame = square
    try await fixture.ends.waitForEvents(count: 1)
    #expect(pixels(button.image(for: .normal)) == [20, 10])
  }

  @Test func `a slot decodes for its size, and cancels its load when it is released`() async throws {
    let item = UIBarButtonItem()
    var slot: ImageSlot? = ImageSlot(size: square.size, scale: 3) { [weak item] in item?.image = $0 }
    slot?.hc.pipeline = fixture.pipeline
    slot?.hc.setImage(with: fixture.url("90x90"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(pixels(item.image) == [30, 30])
    #expect(item.image?.scale == 3)
    slot?.hc.setImage(with: fixture.url("60x60"), completion: fixture.completion)
    slot = nil
    try await fixture.ends.waitForEvents(count: 2)
    #expect(pixels(item.image) != [60, 60])
  }

  @Test func `the contents of a layer are decoded for its bounds and scale`() async throws {
    let layer = CALayer()
    (layer.contentsScale, layer.contentsGravity) = (3, .resizeAspect)
    layer.hc.pipeline = fixture.pipeline
    layer.hc.setImage(with: fixture.url("90x90"), completion: fixture.completion)
    #expect(fixture.transport.requests.isEmpty)
    layer.bounds = square
    layer.hc.binder.displayDidChange()
    try await fixture.ends.waitForEvents(count: 1)
    #expect((layer.contents as? CGImage)?.width == 30)
    layer.hc.setImage(with: nil)
    #expect(layer.contents == nil)
  }

  @Test func `a layer with one side, or none, is laid out by the program, and loads as a view without a size does`()
    async throws
  {
    let (root, layer) = (CALayer(), CALayer())
    root.bounds.size = CGSize(width: 50, height: 50)
    root.addSublayer(layer)
    (layer.contentsScale, layer.contentsGravity) = (2, .resizeAspect)
    layer.hc.pipeline = fixture.pipeline
    layer.hc.setImage(with: fixture.url("400x400"), completion: fixture.completion)
    #expect(fixture.transport.requests.isEmpty)
    layer.imageSizeDidChange()
    try await fixture.ends.waitForEvents(count: 1)
    layer.bounds.size.width = 10
    layer.hc.setImage(with: fixture.url("400x200"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 2)
    #expect(fixture.ends.events == ["100x100", "20x10"])
  }

  @Test func `a layer in a view has the colours of the view's screen`() async throws {
    let view = UIView(frame: square)
    let layer = CALayer()
    layer.bounds = square
    view.layer.addSublayer(layer)
    layer.hc.pipeline = fixture.pipeline
    UITraitCollection.current = UITraitCollection(displayGamut: .P3)
    layer.hc.setImage(with: fixture.url("p3"), completion: fixture.completion)
    UITraitCollection.current = UITraitCollection(displayGamut: .SRGB)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(layer.contents.map { ($0 as? CGImage)?.colorSpace?.name } == CGColorSpace.displayP3)
  }

  @Test(
    arguments: [
      (nil, .automatic, .alwaysOriginal), (.original, .alwaysOriginal, .alwaysOriginal),
      (.template, .alwaysTemplate, .alwaysTemplate),
    ] as [(ImageRenderingMode?, UIImage.RenderingMode, UIImage.RenderingMode)])
  func `an image is drawn in its colours or in the tint colour, also the frames of an animation`(
    mode: ImageRenderingMode?, inView: UIImage.RenderingMode, inButton: UIImage.RenderingMode
  ) async throws {
    let options = ImageViewOptions(renderingMode: mode)
    let view = imageView()
    view.hc.setImage(with: fixture.url("gif"), options: options, completion: fixture.completion)
    let button = UIButton(frame: square)
    window.addSubview(button)
    button.hc.image(for: .normal).pipeline = fixture.pipeline
    button.hc.setImage(with: fixture.url("80x40"), for: .normal, options: options, completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 2)
    #expect(view.image?.renderingMode == inView)
    #expect(button.image(for: .normal)?.renderingMode == inButton)
    let first = view.image
    while view.image === first, !Task.isCancelled {
      CADisplayLink.step()
      await Task.yield()
    }
    #expect(view.image?.renderingMode == inView)
  }

  @Test func `a text attachment has the image in its bounds, or in those of the text`() async throws {
    let text = UIView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
    for (bounds, expected) in [(CGRect.zero, 80), (square, 20)] {
      let attachment = NSTextAttachment()
      attachment.bounds = bounds
      attachment.hc(in: text).pipeline = fixture.pipeline
      let count = text.displayCount
      attachment.hc(in: text).setImage(with: fixture.url("200x200"), completion: fixture.completion)
      while attachment.image == nil, !Task.isCancelled { await Task.yield() }
      #expect(attachment.image?.cgImage?.width == expected)
      #expect(text.displayCount > count)
    }
  }
}
#endif
