import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
@MainActor
struct ViewPlaceholderTests {
  @Test func `the placeholder is shown after 100 milliseconds, if the image has not loaded by then`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20")
    await view.clock.waitForSleepers()
    view.clock.advance(by: .milliseconds(99))
    #expect(view.clock.sleeperCount == 1)
    #expect(view.display.log.events == [])
    view.clock.advance(by: .milliseconds(1))
    try await view.display.log.waitForEvents(count: 1)
    #expect(view.display.log.events == ["placeholder dots"])
  }

  @Test func `a placeholder's own delay counts, not that of the options`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let placeholder = ImagePlaceholder.image(try solidImage(3, 2)).delayed(by: .milliseconds(300))
    view.set("40x20", placeholder: placeholder) { $0.placeholderDelay = .milliseconds(200) }
    await view.clock.waitForSleepers()
    view.clock.advance(by: .milliseconds(299))
    #expect(view.clock.sleeperCount == 1)
    view.clock.advance(by: .milliseconds(1))
    try await view.display.log.waitForEvents(count: 1)
    #expect(view.display.log.events == ["placeholder 3x2"])
  }

  @Test func `without a placeholder, a view is cleared at once and waits for no delay`() async throws {
    let view = ViewFixture(holding: ["30x10"])
    try await view.load("40x20")
    view.set("30x10", placeholder: nil) { $0.placeholderDelay = .zero }
    #expect(view.display.events == ["image 40x20", "nothing"])
    view.set("30x10", placeholder: nil)
    for _ in 0..<20 { await Task.yield() }
    #expect(view.clock.sleeperCount == 0)
    #expect(view.display.events.count == 2)
  }

  @Test func `an image that loads before the delay is shown without a placeholder`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20")
    await view.clock.waitForSleepers()
    view.clock.advance(by: .milliseconds(99))
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.clock.sleeperCount == 0)
    #expect(view.display.events == ["image 40x20"])
  }

  @Test(arguments: [(0, 300), (100, 200), (1000, 0)])
  func `a placeholder shown late stays for its minimum time`(shown: Int, remaining: Int) async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20")
    await view.clock.waitForSleepers()
    view.clock.advance(by: .seconds(1))
    try await view.display.log.waitForEvents(count: 1)
    view.clock.advance(by: .milliseconds(shown))
    view.release("40x20")
    if remaining > 0 {
      await view.clock.waitForSleepers()
      view.clock.advance(by: .milliseconds(remaining - 1))
      #expect(view.clock.sleeperCount == 1 && view.ends.events == [])
      view.clock.advance(by: .milliseconds(1))
    }
    try await view.ends.waitForEvents(count: 1)
    #expect(view.display.events == ["placeholder dots", "image 40x20"] && view.clock.sleeperCount == 0)
  }

  @Test func `a placeholder that is shown at once has no minimum time`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    view.display.displaySize = .zero
    view.set("40x20") { $0.placeholderDelay = .zero }
    #expect(view.display.events == ["placeholder dots"])
    view.display.displaySize = ViewSize(width: 50, height: 50)
    view.binder.displayDidChange()
    #expect(view.display.events == ["placeholder dots", "image 40x20"])
    #expect(view.ends.events == ["40x20 from memory"])
  }

  @Test func `a view that is set again to the image that it shows is not cleared`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    await view.fixture.pipeline.cache.flush()
    view.fixture.memory.removeAll()
    for freshness in [CachePolicy.standard, .revalidate, .reload] {
      var request = view.request("40x20")
      request.cachePolicy = freshness
      let count = view.ends.events.count
      view.set(request) { $0.placeholderDelay = .zero }
      view.set(request) { $0.placeholderDelay = .zero }
      try await view.ends.waitForEvents(count: count + 2)
      view.fixture.memory.removeAll()
    }
    #expect(Set(view.display.events.filter { !$0.hasPrefix("preview") }) == ["image 40x20"])
    try await view.load("30x10")
    #expect(view.display.events.suffix(2) == ["nothing", "image 30x10"])
  }

  @Test(arguments: [false, true])
  func `a view without an image shows the placeholder even with keepsCurrentImage`(hasPlaceholder: Bool) async throws {
    let view = ViewFixture(holding: ["30x10"])
    if hasPlaceholder { view.binder.hc.setImage(with: nil, placeholder: .icon("old")) }
    view.set("30x10") {
      $0.keepsCurrentImage = true
      $0.placeholderDelay = .zero
    }
    #expect(view.binder.content.name == "placeholder dots")
  }

  @Test func `an image that stands for a failure does not stay while the next image is loaded`() async throws {
    let view = ViewFixture(holding: ["30x10"])
    let broken = ImagePlaceholder.image(try solidImage(5, 5))
    try await view.load("down") { $0.failure = .shows(broken) }
    #expect(view.binder.content.name == "failure 5x5")
    view.set("30x10") {
      $0.keepsCurrentImage = true
      $0.placeholderDelay = .zero
    }
    #expect(view.binder.content.name == "placeholder dots")
  }

  @Test func `a BlurHash placeholder is decoded to an image`() throws {
    let view = ViewFixture(holding: ["40x20"])
    let hash = try #require(BlurHash("LGF5]+Yk^6#M@-5c,1J5@[or[Q6."))
    view.set("40x20", placeholder: .blurHash(hash, aspectRatio: 2)) { $0.placeholderDelay = .zero }
    #expect(view.binder.content.name == "placeholder 32x16")
  }

  @Test func `a ThumbHash placeholder is decoded to an image`() throws {
    let view = ViewFixture(holding: ["40x20"])
    let hash = ThumbHash(try solidImage(32, 16).bitmap)
    view.set("40x20", placeholder: .thumbHash(hash)) { $0.placeholderDelay = .zero }
    let size = try hash.bitmap().size
    #expect(size.width > size.height)
    #expect(view.display.events == ["placeholder \(size.width)x\(size.height)"])
  }

  @Test func `placeholder images and views are created when the placeholder is shown`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    let made = EventLog<String>()
    let hash = ImagePlaceholder.made {
      made.record("hash")
      return try? solidImage(3, 2)
    }
    let custom = ImagePlaceholder.view {
      made.record("view")
      return 7
    }
    view.set("40x20", placeholder: hash)
    #expect(made.events == [])
    view.set("40x20", placeholder: hash) { $0.placeholderDelay = .zero }
    view.set("40x20", placeholder: custom) { $0.placeholderDelay = .zero }
    view.set("40x20", placeholder: .made { nil }) { $0.placeholderDelay = .zero }
    view.set("40x20", placeholder: .image(try solidImage(5, 5))) { $0.placeholderDelay = .zero }
    #expect(made.events == ["hash", "view"])
    #expect(view.display.events == ["placeholder 3x2", "placeholder view 7", "nothing", "placeholder 5x5"])
  }
}
