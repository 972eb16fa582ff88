import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline
@_spi(Programs) import HalcyonImaging
import HalcyonViews
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
@MainActor
struct ViewSizingTests {
  @Test(
    arguments: [
      (.view, .fit, .fit(width: 100, height: 60)),
      (.view(factor: 1.5), .fit, .fit(width: 150, height: 90)),
      (.view(factor: .nan), .fit, .fit(width: 100, height: 60)),
      (.view(factor: 1e9), .fit, .fit(width: 10_000, height: 6000)),
      (.view, .fill, .fill(width: 100, height: 60)),
      (.view, .stretch, .cover(width: 100, height: 60)),
      (.original, .fit, .original),
    ] as [(ViewSizing, ImageDisplayMode, TargetSize)])
  func `an image is decoded at the view's device pixels`(
    sizing: ViewSizing, mode: ImageDisplayMode, expected: TargetSize
  ) async throws {
    let view = ViewFixture()
    view.display.displaySize = ViewSize(width: 50, height: 30)
    view.display.displayMode = mode
    try await view.load("400x200") { $0.sizing = sizing }
    #expect(view.fixture.decoder.decodedSizes == [expected])
  }

  @Test func `a target size set in the request is kept`() async throws {
    let view = ViewFixture()
    var request = view.request("400x200")
    request.size = .fit(width: 33, height: 33)
    view.set(request)
    try await view.ends.waitForEvents(count: 1)
    view.display.displaySize = ViewSize(width: 500, height: 500)
    view.binder.displayDidChange()
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 33, height: 33)])
    #expect(!view.binder.isLoading)
  }

  @Test(
    arguments: [(nil, nil, .source), (.sRGB, nil, .sRGB), (nil, .displayP3, .displayP3)]
      as [(TargetColorSpace?, TargetColorSpace?, TargetColorSpace)])
  func `the space of a wide screen is asked for, unless the request or the pipeline names one`(
    requested: TargetColorSpace?, standard: TargetColorSpace?, expected: TargetColorSpace
  ) async throws {
    let view = ViewFixture { $0.options.colorSpace = standard }
    view.display.displayColorSpace = .source
    var request = view.request("400x200")
    request.colorSpace = requested
    view.set(request)
    try await view.ends.waitForEvents(count: 1)
    request.size = .fit(width: 100, height: 100)
    for space in TargetColorSpace.allCases {
      request.colorSpace = space
      #expect((view.fixture.pipeline[cached: request] != nil) == (space == expected))
    }
  }

  @Test func `fractional pixels are rounded up, except for floating-point error`() async throws {
    let view = ViewFixture()
    view.display.displayScale = 1.25
    view.display.displaySize = ViewSize(width: 33.3, height: 80.000_000_1)
    try await view.load("400x200")
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 42, height: 100)])
  }

  @Test(
    arguments: [
      ViewSize.zero, ViewSize(width: 10, height: 0), ViewSize(width: -5, height: 10), ViewSize(width: .nan, height: 10),
      ViewSize(width: .infinity, height: 10),
    ])
  func `a view without a size starts loading once it has one`(size: ViewSize) async throws {
    let view = ViewFixture()
    view.display.displaySize = size
    view.set("400x200") { $0.placeholderDelay = .zero }
    view.binder.displayDidChange()
    #expect(view.binder.isLoading)
    #expect(view.display.events == ["placeholder dots"])
    view.display.displaySize = ViewSize(width: 10, height: 10)
    view.binder.displayDidChange()
    view.binder.displayDidChange()
    try await view.ends.waitForEvents(count: 1)
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 20, height: 20)])
    #expect(view.display.events == ["placeholder dots", "image 20x10"])
  }

  @Test(
    arguments: [
      (ViewSize(width: 50, height: 0), .fit(width: 100)), (ViewSize(width: 0, height: 30), .fit(height: 60)),
      (.zero, .fit(width: 640, height: 480)), (ViewSize(width: .nan, height: -1), .fit(width: 640, height: 480)),
    ] as [(ViewSize, TargetSize)], [ImageDisplayMode.fit, .fill, .stretch])
  func `a view that is laid out without a side loads at the other one, and without both at the screen's size`(
    view size: (ViewSize, TargetSize), mode: ImageDisplayMode
  ) async throws {
    let view = ViewFixture()
    (view.display.displaySize, view.display.displayMode) = (size.0, mode)
    view.set("4000x2000")
    #expect(view.binder.isLoading && view.fixture.transport.requests.isEmpty, "it has not been laid out")
    view.display.screenSize = ViewSize(width: 320, height: 240)
    view.binder.displayDidChange()
    try await view.ends.waitForEvents(count: 1)
    #expect(view.fixture.decoder.decodedSizes == [size.1])
  }

  @Test func `a view that gets its size from its image keeps that, and loads a larger one when it grows`() async throws
  {
    let view = ViewFixture()
    (view.display.displaySize, view.display.screenSize) = (
      ViewSize(width: 50, height: 0), ViewSize(width: 320, height: 240)
    )
    try await view.load("400x200")
    view.display.displaySize = ViewSize(width: 50, height: 25)
    view.binder.displayDidChange()
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 100)] && view.clock.sleeperCount == 0)
    (view.display.displaySize, view.display.displayMode) = (ViewSize(width: 50, height: 50), .fill)
    await view.rest()
    try await view.display.waitForShow("image 100x100")
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `an image is drawn at its own scale, else at that of the display, or 1 if it is not known`() throws {
    let display = RecordingDisplay()
    var image = try solidImage()
    display.displayScale = 0
    #expect(display.pixelsPerPoint(of: image) == 1)
    display.displayScale = 2
    #expect(display.pixelsPerPoint(of: image) == 2)
    image.scale = 3
    #expect(display.pixelsPerPoint(of: image) == 3)
  }

  @Test func `a view without a size shows an image from memory as soon as it has one`() async throws {
    let view = ViewFixture()
    try await view.warm("40x20")
    view.display.displaySize = .zero
    view.set("40x20")
    view.display.displaySize = ViewSize(width: 50, height: 50)
    view.binder.displayDidChange()
    #expect(view.ends.events == ["40x20 from memory"])
    #expect(view.clock.sleeperCount == 0)
  }

  @Test func `a layout pass caused by showing content starts no second load`() async throws {
    let view = ViewFixture(holding: ["400x200"])
    view.display.onShow = { [binder = view.binder] in binder.displayDidChange() }
    view.set("400x200") { $0.placeholderDelay = .zero }
    view.release("400x200")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.fixture.transport.requests.count == 1)
    #expect(view.display.events == ["placeholder dots", "image 100x50"])
  }

  @Test func `a huge view size does not overflow the target size`() async throws {
    let view = ViewFixture()
    view.display.displaySize = ViewSize(width: 1e300, height: 1e300)
    try await view.load("40x20")
    #expect(view.ends.events == ["40x20 from network"])
  }

  @Test func `an image is loaded again when its view grows, and replaced without transition or indicator`() async throws
  {
    let view = ViewFixture()
    try await view.load("400x200") {
      $0.indicator = .activity
      $0.transition = .crossFade
      $0.placeholderDelay = .zero
    }
    view.display.displaySize = ViewSize(width: 40, height: 40)
    view.binder.displayDidChange()
    let before = view.display.events.count
    view.display.displaySize = ViewSize(width: 80, height: 40)
    await view.rest()
    try await view.display.waitForShow("image 160x80")
    #expect(view.display.events[before...] == ["image 160x80"])
    #expect(view.ends.events == ["100x50 from network"])
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 100, height: 100), .fit(width: 160, height: 80)])
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a view that grows is loaded again from the original, also if its image came from a stored variant`()
    async throws
  {
    let view = ViewFixture { $0.encoders = [SolidEncoder()] }
    var request = view.request("400x200")
    request.options.storage = .encoded(as: .bmp)
    for _ in 0..<2 {
      view.set(request)
      try await view.ends.waitForEvents(count: view.ends.events.count + 1)
      await view.fixture.pipeline.cache.flush()
      view.fixture.memory.removeAll()
      view.binder.hc.setImage(with: nil)
    }
    view.set(request)
    try await view.ends.waitForEvents(count: 3)
    #expect(view.ends.events == ["100x50 from network", "100x50 from store", "100x50 from store"])
    view.display.displaySize = ViewSize(width: 100, height: 100)
    await view.rest()
    try await view.display.waitForShow("image 200x100")
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a higher display scale loads a larger image`() async throws {
    let view = ViewFixture()
    try await view.load("400x200")
    view.display.displayScale = 3
    await view.rest()
    try await view.display.waitForShow("image 150x75")
    #expect(view.fixture.decoder.decodedSizes == [.fit(width: 100, height: 100), .fit(width: 150, height: 150)])
    #expect(view.display.events == ["image 100x50", "image 150x75"])
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a view that grows while loading is loaded again at its new size`() async throws {
    let view = ViewFixture(holding: ["400x200"])
    view.set("400x200")
    view.display.displaySize = ViewSize(width: 100, height: 100)
    view.binder.displayDidChange()
    view.release("400x200")
    try await view.ends.waitForEvents(count: 1)
    await view.rest()
    try await view.display.waitForShow("image 200x100")
    #expect(view.ends.events == ["100x50 from network"])
  }

  @Test func `an image shown at its full size is not loaded again`() async throws {
    let view = ViewFixture()
    try await view.load("40x20")
    view.display.displaySize = ViewSize(width: 500, height: 500)
    view.binder.displayDidChange()
    #expect(view.fixture.pipeline.activeJobCount == 0)
    #expect(view.fixture.decoder.decodedSizes.count == 1)
  }

  @Test func `after another image is set, the reload at a larger size is not shown`() async throws {
    let view = ViewFixture(holding: ["30x10"])
    try await view.load("400x200")
    view.display.displaySize = ViewSize(width: 100, height: 100)
    await view.rest()
    view.set("30x10")
    view.release("30x10")
    try await view.ends.waitForEvents(count: 2)
    #expect(view.display.events == ["image 100x50", "nothing", "image 30x10"])
  }

  @Test func `a view that grows reloads its image without contacting the server again`() async throws {
    let view = ViewFixture()
    var request = view.request("400x200")
    request.cachePolicy = .revalidate
    view.set(request)
    try await view.ends.waitForEvents(count: 1)
    view.display.displaySize = ViewSize(width: 100, height: 100)
    await view.rest()
    try await view.display.waitForShow("image 200x100")
    #expect(view.fixture.transport.requests.count == 1)
  }

  @Test func `a view that stays below half of its image shows a smaller one, and memory keeps no larger one`()
    async throws
  {
    let view = ViewFixture()
    try await view.load("400x200") { $0.transition = .crossFade }
    view.display.displaySize = ViewSize(width: 20, height: 20)
    view.binder.displayDidChange()
    await view.clock.waitForSleepers()
    view.clock.advance(by: .milliseconds(2999))
    #expect(view.clock.sleeperCount == 1 && view.fixture.decoder.decodedSizes.count == 1)
    view.clock.advance(by: .milliseconds(1))
    try await view.display.waitForShow("image 40x20")
    #expect(view.display.events.count == 2, "in place, without a transition")
    #expect(view.fixture.transport.requests.count == 1)
    var large = view.request("400x200")
    large.size = .fit(width: 100, height: 100)
    #expect(view.fixture.pipeline[cached: large] == nil)
    #expect(view.ends.events == ["100x50 from network"])
    view.display.displaySize = ViewSize(width: 50, height: 50)
    await view.rest()
    try await view.display.log.waitUntilLast(is: "image 100x50")
  }

  @Test func `a view that grows again in time keeps its image`() async throws {
    let view = ViewFixture()
    try await view.load("400x200")
    view.display.displaySize = ViewSize(width: 20, height: 20)
    view.binder.displayDidChange()
    await view.clock.waitForSleepers()
    view.display.displaySize = ViewSize(width: 50, height: 50)
    view.binder.displayDidChange()
    #expect(view.clock.sleeperCount == 0)
    view.display.displaySize = ViewSize(width: 40, height: 40)
    view.binder.displayDidChange()
    #expect(view.clock.sleeperCount == 0, "half of the pixels are not worth a load")
    #expect(view.display.events == ["image 100x50"])
  }

  @Test func `a view that has half of the pixels of its image keeps it`() async throws {
    let view = ViewFixture()
    try await view.load("400x400")
    view.display.displaySize = ViewSize(width: 40, height: 40)
    view.binder.displayDidChange()
    #expect(view.clock.sleeperCount == 0, "64 of 100 pixels are more than half of them")
    view.display.displaySize = ViewSize(width: 35, height: 35)
    view.binder.displayDidChange()
    await view.clock.waitForSleepers()
    #expect(view.clock.sleeperCount == 1, "49 of 100 are fewer")
  }

  @Test func `an image that no cache has is not downloaded again for a view that has shrunk`() async throws {
    let view = ViewFixture { $0.cache = ImageCache(disk: nil) }
    try await view.load("400x200")
    view.display.displaySize = ViewSize(width: 20, height: 20)
    view.binder.displayDidChange()
    await view.clock.waitForSleepers()
    view.clock.advance(by: .seconds(3))
    while view.clock.sleeperCount > 0 || view.fixture.pipeline.activeJobCount > 0, !Task.isCancelled {
      await Task.yield()
    }
    #expect(view.fixture.transport.requests.count == 1)
    #expect(view.display.events == ["image 100x50"])
  }
}
