import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Prefetching for views, which finds what they will load.
@Suite(.unitTest)
@MainActor
struct ViewPrefetchTests {
  @Test(arguments: [ImageDisplayMode.fit, .fill, .stretch], [TargetColorSpace.sRGB, .source])
  func `an image that is prefetched for a view is in memory when the view is set to it`(
    mode: ImageDisplayMode, space: TargetColorSpace
  ) async throws {
    for isByView in [true, false] {
      let view = ViewFixture()
      (view.display.displayMode, view.display.displayColorSpace) = (mode, space)
      let prefetcher =
        isByView
        ? ImagePrefetcher(for: view.binder.hc)
        : ImagePrefetcher(
          for: view.display.displaySize, scale: view.display.displayScale, mode: mode,
          colorSpace: space == .sRGB ? nil : space, pipeline: view.fixture.pipeline)
      #expect(await prefetcher.start([view.url("600x200")]).result.completed.count == 1)
      view.set("600x200")
      #expect(view.ends.events.count == 1 && view.ends.events[0].hasSuffix("from memory"))
      #expect(view.fixture.decoder.decodedSizes.count == 1)
    }
  }

  @Test func `an image for a view without a size, or for none, goes to the store only`() async throws {
    let view = ViewFixture()
    view.display.displaySize = .zero
    let prefetchers = [ImagePrefetcher(for: view.binder.hc), ImagePrefetcher(pipeline: view.fixture.pipeline)]
    for (prefetcher, name) in zip(prefetchers, ["40x20", "400x200"]) {
      #expect(await prefetcher.start([view.url(name)]).result.completed.count == 1)
    }
    #expect(view.fixture.decoder.decodedSizes.isEmpty && view.fixture.transport.requests.count == 2)
    view.display.displaySize = ViewSize(width: 50, height: 50)
    try await view.load("400x200")
    #expect(view.ends.events == ["100x50 from store"])
  }

  @Test func `a request that is prefetched for views keeps a size of its own`() async throws {
    for isByView in [true, false] {
      let view = ViewFixture()
      let prefetcher =
        isByView
        ? ImagePrefetcher(for: view.binder.hc)
        : ImagePrefetcher(for: view.display.displaySize, scale: 2, mode: .fit, pipeline: view.fixture.pipeline)
      let request = ImageRequest(url: view.url("600x200"), size: .fit(width: 30, height: 30))
      #expect(await prefetcher.start([request]).result.completed.count == 1)
      #expect(view.fixture.decoder.decodedSizes == [.fit(width: 30, height: 30)])
    }
  }

  @Test func `images for a view are prefetched as its own options say`() async throws {
    let view = ViewFixture()
    view.binder.hc.options = .scaled(by: 2)
    let prefetcher = ImagePrefetcher(for: view.binder.hc)
    #expect(await prefetcher.start([view.url("600x200")]).result.completed.count == 1)
    view.set("600x200")
    #expect(view.ends.events == ["200x67 from memory"])
  }

  @Test(arguments: [nil, TargetColorSpace.sRGB])
  func `images are prefetched in the space of their requests, else of the pipeline, else of the views`(
    requested: TargetColorSpace?
  ) async throws {
    for isByView in [true, false] {
      let view = ViewFixture { $0.options.colorSpace = .displayP3 }
      view.display.displayColorSpace = .source
      let prefetcher =
        isByView
        ? ImagePrefetcher(for: view.binder.hc)
        : ImagePrefetcher(
          for: view.display.displaySize, scale: 2, mode: .fit, colorSpace: .source, pipeline: view.fixture.pipeline)
      var request = view.request("600x200")
      request.colorSpace = requested
      #expect(await prefetcher.start([request]).result.completed.count == 1)
      view.set(request)
      #expect(view.ends.events == ["100x33 from memory"], "for a view: \(isByView)")
    }
  }

  @Test func `images that were started for a view can be stopped by their URLs`() async throws {
    let view = ViewFixture(holding: ["400x200"])
    let prefetcher = ImagePrefetcher(for: view.binder.hc)
    let task = prefetcher.start([view.url("400x200")])
    try await view.waitForRequest("400x200")
    prefetcher.stop([view.url("400x200")])
    #expect(await task.result.failed.count == 1)
  }
}
