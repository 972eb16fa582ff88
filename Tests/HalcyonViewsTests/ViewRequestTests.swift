import HalcyonCache
import HalcyonSupport
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonViews

/// What follows from the request and the options of a view.
@Suite(.unitTest)
@MainActor
struct ViewRequestTests {
  private let fixture = PipelineFixture.serving()

  private func viewRequest(
    _ text: String? = "https://example.com/a", in pipeline: ImagePipeline? = nil,
    options: ImageViewOptions = ImageViewOptions(), _ configure: (inout ImageRequest) -> Void = { _ in }
  ) -> ViewRequest {
    let request = text.map { ImageRequest(source: .string($0), configure) }
    return ViewRequest(request, nil, options, pipeline ?? fixture.pipeline)
  }

  private static let origins: [ImageOrigin] = [.memory, .store, .network, .provider, .file, .inline]

  @Test func `a transition is for images that took time, or for those of the options`() {
    func faded(_ options: ImageViewOptions) -> [ImageOrigin] {
      Self.origins.filter { origin in
        if case .crossFade = viewRequest(options: options).transition(from: origin) { true } else { false }
      }
    }
    #expect(faded(ImageViewOptions()) == [])
    #expect(faded(ImageViewOptions(transition: .crossFade)) == [.network, .provider, .file, .inline])
    #expect(
      faded(ImageViewOptions(transition: .crossFade, transitionOrigins: [.memory, .store])) == [.memory, .store])
    #expect(faded(ImageViewOptions(transition: .crossFade, transitionOrigins: [])) == [])
  }

  @Test func `a retry revalidates, and a first load shows a stale image by itself`() {
    let rows: [(CachePolicy?, first: CachePolicy?, retry: CachePolicy?)] = [
      (nil, nil, .revalidate), (.standard, .standard, .revalidate), (.staleFirst, .standard, .revalidate),
      (.cacheFirst, .cacheFirst, .revalidate), (.reload, .reload, .revalidate), (.cacheOnly, .cacheOnly, .cacheOnly),
    ]
    for (policy, first, retry) in rows {
      var request = viewRequest { $0.cachePolicy = policy }
      let sized = SizedRequest(
        request: ImageRequest(source: .string("https://example.com/a")) { $0.cachePolicy = policy })
      #expect(request.forFirstLoad(sized).request.cachePolicy == first)
      request.isRetry = true
      #expect(request.forFirstLoad(sized).request.cachePolicy == retry)
    }
  }

  @Test func `a stale image is shown where the rules of HTTP decide`() throws {
    let image = try solidImage(4, 2)
    for policy in CachePolicy.allCases {
      let view = viewRequest { $0.cachePolicy = policy }
      let request = try #require(view.request)
      #expect(view.cachedImage(.hit(image), for: request) != nil)
      #expect((view.cachedImage(.stale(image), for: request) != nil) == [.standard, .staleFirst].contains(policy))
      #expect(view.cachedImage(.miss(.absent), for: request) == nil)
    }
  }

  @Test func `a request is the same in another priority, and loads the same bytes at another size`() {
    let view = viewRequest()
    let others: [(ViewRequest, isSame: Bool, loadsSameBytes: Bool)] = [
      (viewRequest { $0.priority = .high }, true, true),
      (viewRequest { $0.size = .fit(width: 5, height: 5) }, false, true),
      (viewRequest { $0.processors = [.grayscale] }, false, true),
      (viewRequest { $0.region = PixelArea(left: 0, top: 0, width: 1, height: 1) }, false, true),
      (viewRequest { $0.headers = ["A": "b"] }, false, false), (viewRequest("https://example.com/b"), false, false),
      (viewRequest(nil), false, false), (viewRequest(in: PipelineFixture.serving().pipeline), false, false),
    ]
    for (number, other) in others.enumerated() {
      #expect(view.isSame(as: other.0) == other.isSame, "\(number)")
      #expect(other.0.isSame(as: view) == other.isSame, "\(number)")
      #expect(view.loadsSameBytes(as: other.0) == other.loadsSameBytes, "\(number)")
    }
  }

  @Test func `a view is sized by its display, in its colours, and a size of the request stays`() throws {
    let display = RecordingDisplay()
    display.displayColorSpace = .displayP3
    let sized = try #require(viewRequest().sized(for: display))
    #expect(sized.request.size == .fit(width: 100, height: 100))
    #expect(sized.request.colorSpace == .displayP3)
    let own = viewRequest {
      $0.size = .fit(width: 7, height: 7)
      $0.colorSpace = .sRGB
    }
    #expect(own.sized(for: display)?.request.size == .fit(width: 7, height: 7))
    #expect(own.sized(for: display)?.request.colorSpace == .sRGB)
    #expect(own.sized(for: display)?.pixelSize == nil)
    #expect(viewRequest(nil).sized(for: display) == nil)
    display.displayColorSpace = .sRGB
    #expect(viewRequest().sized(for: display)?.request.colorSpace == nil)
    display.displaySize = .zero
    #expect(viewRequest().sized(for: display) == nil)
    #expect(own.sized(for: display) != nil)
    let whole = viewRequest(options: ImageViewOptions(sizing: .original)).sized(for: display)
    #expect(whole != nil && whole?.request.size == nil)
    #expect(whole?.request.originalPixelLimit == .max)
    let limited = viewRequest(options: ImageViewOptions(sizing: .original)) { $0.originalPixelLimit = 500 }
    #expect(limited.sized(for: display)?.request.originalPixelLimit == 500)
  }

  @Test func `a screen reader is told what a view shows, and how to retry`() throws {
    let image = try solidImage()
    let error = ImageError.notCached(key: "a")
    var options = ImageViewOptions()
    options.alternativeText = "a cat"
    for phase in [ImagePhase.empty, .success(image), .loading(nil), .preview(image, nil)] {
      let told = ViewAccessibility(phase, options, canRetry: true)
      #expect(told.label == "a cat")
      #expect(told.value == nil)
      #expect(!told.isButton)
      #expect(told.isBusy == phase.isLoading)
    }
    #expect(ImagePhase.loading(nil).isLoading)
    #expect(!ImagePhase.success(image).isLoading)
    for canRetry in [true, false] {
      let told = ViewAccessibility(.failure(error), options, canRetry: canRetry)
      #expect(told.value == "The image could not be loaded.")
      #expect(told.isButton == canRetry)
      #expect(!told.isBusy)
    }
    options.failureText = "no cat"
    #expect(ViewAccessibility(.failure(error), options).value == "no cat")
  }
}
