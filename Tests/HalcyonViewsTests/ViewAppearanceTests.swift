import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonCache
import HalcyonPipeline
import HalcyonViews
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
@MainActor
struct ViewAppearanceTests {
  @Test func `an indicator is shown while the image is loading`() async throws {
    let view = ViewFixture()
    try await view.load("40x20") { $0.indicator = .activity }
    try await view.load("down") { $0.indicator = .custom { "wheel" } }
    try await view.load("30x10")
    #expect(
      view.display.events == [
        "indicator activity", "no indicator", "image 40x20",
        "indicator wheel", "nothing", "no indicator", "placeholder dots",
        "nothing", "image 30x10",
      ])
  }

  @Test func `a progress indicator is updated as bytes arrive`() async throws {
    let image = SolidImage(width: 40, height: 20)
    let gate = Gate()
    let fixture = PipelineFixture(configure: { $0.progressInterval = .zero }) { _ in
      try await gate.wait()
      return .response(body: image.data, headers: ["Content-Length": "\(image.data.count)"])
    }
    let display = RecordingDisplay()
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    let ends = EventLog<String>()
    var options = ImageViewOptions()
    options.indicator = .progress
    binder.hc.setImage(with: fixture.url, options: options) { ends.record($0.name) }
    gate.open()
    try await ends.waitForEvents(count: 1)
    #expect(display.events.first == "indicator progress")
    #expect(display.log.events.contains("progress \(image.data.count)"))
    #expect(display.events.suffix(2) == ["no indicator", "image 40x20"])
  }

  @Test func `the indicator of a superseded load is hidden`() async throws {
    let view = ViewFixture(holding: ["40x20", "30x10"])
    view.set("40x20") { $0.indicator = .activity }
    view.set("30x10")
    #expect(view.display.events == ["indicator activity", "no indicator"])
  }

  @Test func `transitions apply to images that were loaded, not to images from memory`() async throws {
    let view = ViewFixture()
    try await view.load("40x20") { $0.transition = .crossFade }
    try await view.load("40x20") { $0.transition = .crossFade }
    try await view.load("40x20") {
      $0.transition = .crossFade(.seconds(1))
      $0.transitionOrigins = [.network, .memory]
    }
    #expect(
      view.display.events == [
        "image 40x20 fading for 0.3 seconds", "image 40x20", "image 40x20 fading for 1.0 seconds",
      ])
  }

  @Test func `images from the store are shown without a transition, unless the options include it`() async throws {
    let view = ViewFixture()
    for origins in [[], [ImageOrigin.store]] {
      try await view.warm("40x20")
      await view.fixture.pipeline.cache.flush()
      view.fixture.memory.removeAll()
      view.binder.hc.setImage(with: nil)
      try await view.load("40x20") {
        $0.transition = .crossFade
        $0.transitionOrigins = Set([.network] + origins)
      }
    }
    #expect(view.ends.events == ["40x20 from store", "40x20 from store"])
    #expect(view.display.events == ["nothing", "image 40x20", "nothing", "image 40x20 fading for 0.3 seconds"])
  }

  @Test func `the failure content appears with the transition`() async throws {
    let view = ViewFixture()
    try await view.load("down") {
      $0.transition = .crossFade
      $0.failure = .shows(.icon("broken"))
    }
    #expect(view.display.events == ["failure broken fading for 0.3 seconds"])
  }

  @Test func `the completion waits for the end of the transition`() async throws {
    let view = ViewFixture()
    view.display.holdsTransitions = true
    for end in ["transition", "cancel", "another image"] {
      let count = view.ends.events.count
      view.set("40x20") {
        $0.transition = .crossFade
        $0.transitionOrigins = [.network, .memory]
      }
      while view.display.onTransitionEnd == nil {
        try await view.display.log.waitForEvents(count: view.display.log.events.count + 1)
      }
      #expect(view.binder.content.name == "image 40x20")
      #expect(view.ends.events.count == count)
      #expect(!view.binder.isLoading)
      switch end {
      case "transition": view.display.onTransitionEnd?()
      case "cancel": view.binder.cancel()
      default: view.binder.hc.setImage(with: nil)
      }
      view.display.onTransitionEnd = nil
      #expect(view.ends.events.count == count + 1)
    }
    #expect(view.ends.events == ["40x20 from network", "40x20 from memory", "40x20 from memory"])
  }

  @Test func `what the program has set on the view itself is cleared, or kept until the image is loaded`() async throws
  {
    for keepsCurrentImage in [false, true] {
      let view = ViewFixture(holding: ["40x20"])
      view.display.programContent = DisplayContent(.icon("own"), role: .image)
      view.set("40x20") { $0.keepsCurrentImage = keepsCurrentImage }
      #expect(view.display.events == (keepsCurrentImage ? [] : ["nothing"]))
    }
    let view = ViewFixture()
    try await view.load("40x20")
    view.display.programContent = DisplayContent(.icon("own"), role: .image)
    var request = view.request("40x20")
    request.cachePolicy = .reload
    view.set(request)
    #expect(view.display.events == ["image 40x20", "nothing"], "it is not the image that is loaded again")
  }

  @Test func `a lower resolution image is shown until the full image has loaded`() async throws {
    let view = ViewFixture(holding: ["40x20"])
    view.set("40x20") {
      $0.lowResolution = view.request("4x2")
      $0.renderingMode = .template
    }
    while view.display.events.isEmpty {
      try await view.display.log.waitForEvents(count: view.display.log.events.count + 1)
    }
    #expect(view.display.events == ["preview 4x2"])
    #expect(view.binder.content.renderingMode == .template)
    #expect(view.clock.sleeperCount == 0)
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    #expect(view.display.events == ["preview 4x2", "image 40x20"])
    #expect(view.binder.content.renderingMode == .template)
    #expect(view.ends.events == ["40x20 from network"])
  }

  @Test(
    arguments: [
      ("300x400", nil, .fit, .fill(width: 60, height: 60), "60x80 from 0,10 to 60,70"),
      ("400x200", nil, .fit, .fill(width: 60, height: 60), "120x60 from 30,0 to 90,60"),
      ("300x400", nil, .fit, .fill(width: 60, height: 60, anchor: .top), "60x80 from 0,0 to 60,60"),
      ("300x400", nil, .fill, .fill(width: 60, height: 30), "60x60 from 0,15 to 60,45"),
      ("300x400", .fill(width: 90, height: 60), .fit, .fill(width: 60, height: 60), "60x40 from 0,0 to 60,40"),
      ("300x400", .fill(width: 90, height: 60), .fit, .fit(width: 60, height: 60), "45x30 from 0,0 to 45,30"),
      ("300x400", .original, .fit, .fill(width: 30, height: 30), "30x40 from 0,5 to 30,35"),
      // The same part, but for a fraction of a pixel.
      ("400x300", nil, .fit, .fill(width: 50, height: 37), "50x37 from 0,0 to 50,37"),
      ("300x400", nil, .fill, .fill(width: 60, height: 60), "60x60 from 0,0 to 60,60"),
      // The display crops the whole.
      ("300x400", nil, .fill, .fit(width: 60, height: 60), "45x60 from 0,0 to 45,60"),
      ("300x400", nil, .fit, .fill(width: 60, height: 60, anchor: .smart), nil),
      // Nothing of the crop is visible.
      ("300x400", .fill(width: 10, height: 10, anchor: .bottom), .fit, .fill(width: 60, height: 9, anchor: .top), nil),
      ("300x400", .fit(width: 0, height: 5), .fit, .fill(width: 60, height: 60), nil),
      // The whole would have 4.2 million pixels.
      ("16384x257", nil, .fit, .fill(width: 257, height: 257), nil),
    ] as [(String, TargetSize?, ImageDisplayMode, TargetSize, String?)])
  func `a cropped image of lower resolution is shown at its place in the image`(
    name: String, size: TargetSize?, mode: ImageDisplayMode, low: TargetSize, expected: String?
  ) async throws {
    let view = ViewFixture()
    view.display.displayMode = mode
    try await view.warm(name, size: low)
    let lowResolution = ImageRequest(url: view.url(name), size: low)
    view.set(ImageRequest(url: view.url(name), size: size)) { $0.lowResolution = lowResolution }
    #expect(view.binder.content.image?.bitmap.opaquePart == expected)
  }

  @Test(
    arguments: [
      (.fill(width: 60, height: 60), nil),
      (.fit(width: 60, height: 60), PixelArea(left: 0, top: 0, width: 60, height: 60)),
    ] as [(TargetSize, PixelArea?)])
  func `a crop from the store, whose file has no more than it, is not shown in place of the whole`(
    size: TargetSize, region: PixelArea?
  ) async throws {
    let view = ViewFixture { $0.encoders = [SolidEncoder()] }
    var low = view.request("300x400")
    (low.size, low.region, low.options.storage) = (size, region, .encoded(as: .bmp))
    _ = try await view.fixture.pipeline.image(for: low)
    await view.fixture.pipeline.cache.flush()
    view.fixture.memory.removeAll()
    _ = try await view.fixture.pipeline.image(for: low)
    #expect(view.fixture.pipeline[cached: low]?.facts.isStoredVariant == true)
    view.set("300x400") { [low] in $0.lowResolution = low }
    #expect(view.display.events == [])
    try await view.ends.waitForEvents(count: 1)
    #expect(view.display.events == ["image 75x100"])
  }

  @Test func `a part of the image in lower resolution is shown at its place, also if it has the size of the view`()
    async throws
  {
    let view = ViewFixture()
    var low = ImageRequest(url: view.url("400x200"), size: .fit(width: 100, height: 100))
    low.region = PixelArea(left: 0, top: 0, width: 200, height: 200)
    _ = try await view.fixture.pipeline.image(for: low)
    view.set("400x200") { [low] in $0.lowResolution = low }
    #expect(view.binder.content.image?.bitmap.opaquePart == "200x100 from 0,0 to 100,100")
  }

  @Test func `a display that cancels the load when it shows the lower resolution prevents it`() async throws {
    let view = ViewFixture()
    try await view.warm("4x2")
    view.display.onShow = { [binder = view.binder] in binder.cancel() }
    view.set("40x20") { $0.lowResolution = view.request("4x2") }
    #expect(view.ends.events == ["cancelled"])
    try await view.warm("20x20")
    #expect(view.fixture.transport.requests.map(\.url.lastPathComponent) == ["4x2", "20x20"])
  }

  @Test(arguments: [(CachePolicy.standard, true), (.staleFirst, true), (.revalidate, false)])
  func `a stale image of lower resolution is shown at once, unless its request contacts the server first`(
    policy: CachePolicy, isShown: Bool
  ) async throws {
    let gate = Gate()
    let isWarm = Lock(false)
    let fixture = PipelineFixture { _ in
      if isWarm.withLock(\.self) { try await gate.wait() }
      return .response(body: SolidImage(width: 400, height: 200).data, headers: ["Cache-Control": "max-age=0"])
    }
    var low = ImageRequest(url: fixture.url, size: .fit(width: 10, height: 10))
    _ = try await fixture.pipeline.image(for: low)
    isWarm.replace(with: true)
    low.cachePolicy = policy
    let display = RecordingDisplay()
    let binder = ImageViewBinder(display: display, time: TestClock()) { fixture.pipeline }
    binder.hc.setImage(with: fixture.url, options: ImageViewOptions(lowResolution: low))
    #expect(display.events == (isShown ? ["preview 10x5"] : []))
    binder.cancel()
  }

  @Test func `an image of lower resolution that another view shows is found after its eviction`() async throws {
    let view = ViewFixture()
    let cell = RecordingDisplay()
    cell.displaySize = ViewSize(width: 10, height: 10)
    let binder = ImageViewBinder(display: cell, time: view.clock) { [fixture = view.fixture] in fixture.pipeline }
    view.set("40x20", on: binder)
    try await view.ends.waitForEvents(count: 1)
    view.fixture.memory.trim(to: 0)
    view.set("40x20") {
      $0.lowResolution = ImageRequest(url: view.url("40x20"), size: .fit(width: 20, height: 20))
    }
    #expect(view.display.events == ["preview 20x10"])
    withExtendedLifetime((cell, binder)) {}
  }

  @Test func `a lower resolution load is cancelled when the full image arrives first`() async throws {
    let view = ViewFixture(holding: ["4x2", "40x20"])
    view.set("40x20") { $0.lowResolution = view.request("4x2") }
    try await view.waitForRequest("4x2")
    view.release("40x20")
    try await view.ends.waitForEvents(count: 1)
    try await view.cancelled.waitForEvents(count: 1)
    #expect(view.display.events == ["image 40x20"])
    #expect(view.cancelled.events == ["4x2"])
  }
}

extension Bitmap {
  /// The size, and the smallest rectangle that contains all pixels that are not transparent.
  fileprivate var opaquePart: String {
    func isVisible(_ column: Int, _ row: Int) -> Bool { self[column, row].alpha > 0 }
    let columns = (0..<size.width).filter { column in (0..<size.height).contains { isVisible(column, $0) } }
    let rows = (0..<size.height).filter { row in (0..<size.width).contains { isVisible($0, row) } }
    return "\(size) from \(columns.first ?? 0),\(rows.first ?? 0) to \((columns.last ?? 0) + 1),\((rows.last ?? 0) + 1)"
  }
}
