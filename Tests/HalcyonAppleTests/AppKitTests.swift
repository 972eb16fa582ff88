#if canImport(AppKit)
import AppKit
import Foundation
import Halcyon
import HalcyonCache
import HalcyonApple
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Views of AppKit that are in a window.
@MainActor @Suite(.integrationTest)
struct AppKitTests {
  private let fixture = AppleFixture()
  private let window = NSWindow()
  private let square = CGRect(x: 0, y: 0, width: 10, height: 10)

  private func imageView() -> NSImageView {
    let view = NSImageView(frame: square)
    view.hc.pipeline = fixture.pipeline
    window.contentView = view
    return view
  }

  private func width(_ image: NSImage?) -> Int? { image?.representations.first?.pixelsWide }

  @Test func `an image is decoded for the view's pixels, and shown at its size in points`() async throws {
    let view = imageView()
    view.hc.setImage(with: fixture.url("80x40"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(width(view.image) == 20)
    #expect(view.image?.size == CGSize(width: 10, height: 5))
  }

  @Test(
    arguments: [
      (CGSize.zero, 1600), (CGSize(width: 10, height: 0), 20), (CGSize(width: 0, height: 10), 40),
    ] as [(CGSize, Int)])
  func `a view that gets its size from its image loads it once it has been laid out`(
    size: CGSize, expected: Int
  ) async throws {
    let view = imageView()
    window.screen = NSScreen()
    window.screen?.frame.size = CGSize(width: 800, height: 600)
    view.frame.size = size
    view.hc.setImage(with: fixture.url("4000x2000"), completion: fixture.completion)
    #expect(fixture.transport.requests.isEmpty, "it has not been laid out")
    view.layoutSubtreeIfNeeded()
    try await fixture.ends.waitForEvents(count: 1)
    #expect(width(view.image) == expected)
  }

  @Test func `a button that gets its size from its image loads it once it has been laid out`() async throws {
    let button = NSButton(frame: .zero)
    window.contentView = button
    window.screen = NSScreen()
    button.hc.image.pipeline = fixture.pipeline
    button.hc.setImage(with: fixture.url("80x40"), completion: fixture.completion)
    button.layoutSubtreeIfNeeded()
    try await fixture.ends.waitForEvents(count: 1)
    #expect(width(button.image) == 80)
  }

  @Test func `the completion waits for the end of the cross-fade`() async throws {
    let view = imageView()
    let options = ImageViewOptions(transition: .crossFade)
    view.hc.setImage(with: fixture.url("40x20"), options: options, completion: fixture.completion)
    while view.image == nil, !Task.isCancelled { await Task.yield() }
    #expect(view.layer?.animations["halcyon"]?.duration == 0.3)
    #expect(fixture.ends.events == [])
    CATransaction.endAll()
    #expect(fixture.ends.events == ["20x10"])
  }

  @Test func `a click on a failed view loads its image again, other clicks pass through`() async throws {
    let view = imageView()
    let options = ImageViewOptions(retriesOnTap: true)
    view.hc.setImage(with: fixture.url("recovering"), options: options, completion: fixture.completion)
    #expect(view.hitTest(CGPoint(x: 5, y: 5)) === view)
    try await fixture.ends.waitForEvents(count: 1)
    let target = try #require(view.hitTest(CGPoint(x: 5, y: 5)))
    #expect(target !== view)
    target.mouseDown(with: NSEvent())
    target.mouseUp(with: NSEvent())
    while view.image == nil, !Task.isCancelled { await Task.yield() }
    #expect(view.hitTest(CGPoint(x: 5, y: 5)) === view)
  }

  @Test func `an animation plays while the view is in a window`() async throws {
    let view = imageView()
    view.hc.setImage(with: fixture.url("gif"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    func red() throws -> UInt8 {
      let image = try #require(view.image)
      return try DecodedImage(image).bitmap[0, 0].red
    }
    for value in [10, 20, 30, 10] as [UInt8] {
      while try red() != value, !Task.isCancelled { await Task.yield() }
    }
    window.contentView = nil
    #expect(!view.hc.binder.isVisible)
    #expect(view.hc.animation.isPlaying)
  }

  @Test func `a button has an image and an alternate image`() async throws {
    let button = NSButton(frame: square)
    window.contentView = button
    for binder in [button.hc.image, button.hc.alternateImage] { binder.pipeline = fixture.pipeline }
    button.hc.setImage(with: fixture.url("80x40"), completion: fixture.completion)
    button.hc.setAlternateImage(with: fixture.url("60x60"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 2)
    #expect(width(button.image) == 20 && width(button.alternateImage) == 20)
    #expect(button.image?.size == CGSize(width: 10, height: 5))
  }

  @Test func `an image can be drawn as a template, also the frames of an animation`() async throws {
    let (view, button) = (NSImageView(frame: square), NSButton(frame: square))
    for mode in [ImageRenderingMode.template, .original] {
      let (count, options) = (fixture.ends.events.count, ImageViewOptions(renderingMode: mode))
      window.contentView = button
      button.hc.image.pipeline = fixture.pipeline
      button.hc.setImage(with: fixture.url("80x40"), options: options, completion: fixture.completion)
      try await fixture.ends.waitForEvents(count: count + 1)
      window.contentView = view
      view.hc.pipeline = fixture.pipeline
      view.hc.setImage(with: fixture.url("gif"), options: options, completion: fixture.completion)
      try await fixture.ends.waitForEvents(count: count + 2)
      #expect(button.image?.isTemplate == (mode == .template))
      let first = view.image
      while view.image === first, !Task.isCancelled { await Task.yield() }
      #expect(view.image?.isTemplate == (mode == .template))
    }
  }

  @Test func `a text attachment draws its view again`() async throws {
    let text = NSView(frame: square)
    window.contentView = text
    let attachment = NSTextAttachment()
    attachment.hc(in: text).pipeline = fixture.pipeline
    attachment.hc(in: text).setImage(with: fixture.url("80x40"), completion: fixture.completion)
    try await fixture.ends.waitForEvents(count: 1)
    #expect(width(attachment.image) == 20)
    #expect(text.needsDisplay)
  }

  @Test func `disk caches release their locks when the app resigns active`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = ImageCache(store: DiskCache(directory: folder, time: TestClock()))
      cache.followAppLifeCycle()
      let pipeline = ImagePipeline { ($0.transport, $0.cache) = (fixture.transport, cache) }
      _ = try await pipeline.image(for: fixture.url("40x20"))
      await cache.flush()
      let locks = folder.appending(path: "v\(DiskCache.format)/own").path
      #expect(try FileManager.default.contentsOfDirectory(atPath: locks).count == 1)
      NotificationCenter.default.post(name: NSApplication.didResignActiveNotification, object: nil)
      while try !FileManager.default.contentsOfDirectory(atPath: locks).isEmpty, !Task.isCancelled {
        await Task.yield()
      }
    }
  }
}
#endif
