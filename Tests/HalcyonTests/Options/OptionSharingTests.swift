import Foundation
import Halcyon
import HalcyonCache
import HalcyonCodecs
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// The work in flight and the cached images that requests share if they differ in one option.
@Suite(.unitTest)
struct OptionSharingTests {
  private let file: Data
  private let base: ImageRequest

  init() throws {
    file = try TestImage.png()
    base = ImageRequest(
      url: try #require(URL(string: "http://example.com/a")), size: .fit(width: 20, height: 20), processors: [.invert])
  }

  /// Loads a changed request while another is in flight, and returns what it does first: a transfer of its own, or joining
  /// the work in flight for the image or the bytes.
  private func work(
    _ request: ImageRequest? = nil, _ change: (inout ImageRequest) -> Void
  ) async throws -> String {
    let request = request ?? base
    let (gate, log, file) = (Gate(), EventLog<String>(), file)
    let cache = ImageCache(memory: MemoryCache(), store: MemoryDataStore())
    var configuration = PipelineConfiguration()
    configuration.transport = ScriptedTransport { _ in
      log.record("transfer")
      try await gate.wait()
      return .response(body: file)
    }
    configuration.cache = cache
    configuration.eventHandler = { if case .joined(let work) = $0.kind { log.record(work.rawValue) } }
    let pipeline = ImagePipeline(configuration: configuration)
    let first = pipeline.task(for: request)
    try await log.waitForEvents(count: 1)
    var other = request
    change(&other)
    let second = pipeline.task(for: other)
    let events = try await log.waitForEvents(count: 2)
    gate.open()
    _ = try await (first.image, second.image)
    return events[1]
  }

  private func changed(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
    var other = base
    change(&other)
    return other
  }

  @Test(arguments: RequestOption.allCases)
  func `loads at the same time that differ in one option share the work that it does not change`(
    option: RequestOption
  ) async throws {
    #expect(try await work { option.change(&$0) } == option.sharedWork)
  }

  @Test(arguments: [CacheAccess.readOnly, .writeOnly, .disabled])
  func `requests with another access to a cache share what does not read or write it`(access: CacheAccess) async throws
  {
    #expect(try await work { request in request.memoryAccess = access } == "bytes")
    #expect(try await work { request in request.storeAccess = access } == "bytes")
  }

  @Test func `hooks that are equal share a transfer, others only with their copies`() async throws {
    struct Strategy: RetryStrategy, Hashable {
      let count: Int

      func delay(after failure: FailedAttempt) async -> Duration? { nil }
    }
    let base = changed { $0.retryStrategy = Strategy(count: 1) }
    #expect(try await work(base) { $0.retryStrategy = Strategy(count: 1) } == "image")
    #expect(try await work(base) { $0.retryStrategy = Strategy(count: 2) } == "transfer")
    let modified = changed { $0.requestModifier = Unchanged() }
    #expect(try await work(modified) { _ in } == "image")
    #expect(try await work(modified) { $0.requestModifier = Unchanged() } == "transfer")
  }

  @Test(arguments: RequestOption.allCases)
  func `an option is part of the keys of the images and bytes that it changes`(option: RequestOption) throws {
    let other = changed { option.change(&$0) }.completed(by: nil)
    let (keys, others) = (RequestKeys(base), RequestKeys(other))
    #expect((keys.image != others.image) == (option.changesBytes || option.changesImage))
    #expect((keys.fetch != others.fetch) == option.changesBytes)
  }

  @Test func `the case of the names of header fields and their order make no difference`() async throws {
    let one = changed { $0.headers = ["X-First": "1", "X-Second": "2"] }
    let same = changed { $0.headers = ["x-SECOND": "2", "x-first": "1"] }
    #expect(RequestKeys(one).image == RequestKeys(same).image)
    #expect(RequestKeys(one).fetch == RequestKeys(same).fetch)
    let others: [HTTPHeaders] = [
      ["X-First": "2", "X-Second": "1"], ["X-First": "1"], ["X-First": "1", "X-Second": "2", "X-Third": "3"],
    ]
    for headers in others { #expect(RequestKeys(one).fetch != RequestKeys(changed { $0.headers = headers }).fetch) }
  }
}

extension RequestOption {
  /// The work that a request shares with one that differs in this option alone, while both are in flight.
  fileprivate var sharedWork: String {
    switch self {
    case .priority, .timeout, .previews, .waitsForStore, .storeExpiration, .tags, .isPinned, .scale,
      .imageModifier, .userInfo, .keepsEncodedData, .alternatives, .lowDataSource:
      "image"
    // No effect with a size.
    case .originalPixelLimit: "image"
    // The image before the processor.
    case .processors: "image"
    // The processor knows bytes only, so that both images are standard.
    case .dynamicRange: "image"
    case .storage, .memoryAccess, .storeAccess, .memoryExpiration, .decoder, .colorSpace,
      .allowsPartialImage,
      .animation, .region,
      .size:
      "bytes"
    case .cachePolicy, .usesETags, .cache, .retryStrategy, .requestModifier,
      .redirectHandler, .responseValidator, .dataTransform, .allowsErrorImage, .method, .body, .headers,
      .identity:
      "transfer"
    }
  }

  fileprivate var changesBytes: Bool { [.allowsErrorImage, .method, .body, .headers, .identity].contains(self) }

  fileprivate var changesImage: Bool {
    [.size, .region, .processors, .animation, .colorSpace, .decoder].contains(self)
  }

  /// Sets the option to a value other than its default.
  fileprivate func change(_ request: inout ImageRequest) {
    let other = ImageSource.string("http://example.com/other")
    switch self {
    case .priority: request.priority = .high
    case .timeout: request.timeout = .seconds(100)
    case .previews: request.previews = PreviewPolicy(keepsLast: true)
    case .cachePolicy: request.cachePolicy = .revalidate
    case .memoryAccess: request.memoryAccess = .disabled
    case .storeAccess: request.storeAccess = .disabled
    case .usesETags: request.usesETags = false
    case .cache: request.cache = ImageCache(store: MemoryDataStore())
    case .waitsForStore: request.waitsForStore = true
    case .storage: request.storage = .sticker
    case .memoryExpiration: request.memoryExpiration = .after(.seconds(9))
    case .storeExpiration: request.storeExpiration = .after(.seconds(9))
    case .tags: request.tags = ["trip"]
    case .isPinned: request.isPinned = true
    case .scale: request.scale = 2
    case .colorSpace: request.colorSpace = .source
    case .dynamicRange: request.dynamicRange = .high
    case .originalPixelLimit: request.originalPixelLimit = 100
    case .allowsPartialImage: request.allowsPartialImage = true
    case .allowsErrorImage: request.allowsErrorImage = true
    case .animation: request.animation = .firstFrame
    case .imageModifier: request.imageModifier = { $0 }
    case .userInfo: request.userInfo = ["a": 1]
    case .keepsEncodedData: request.keepsEncodedData = true
    case .retryStrategy: request.retryStrategy = .never
    case .requestModifier: request.requestModifier = Unchanged()
    case .redirectHandler: request.redirectHandler = { $1 }
    case .responseValidator: request.responseValidator = { _ in }
    case .dataTransform: request.dataTransform = { data, _ in data }
    case .decoder: request.decoder = PNGDecoder()
    case .size: request.size = .fit(width: 10, height: 10)
    case .region: request.region = PixelArea(left: 1, top: 1, width: 5, height: 5)
    case .processors: request.processors = [.invert, .invert]
    case .method: request.method = .put
    case .body: request.body = Data([1])
    case .headers: request.headers = ["X-First": "1"]
    case .identity: request.identity = "anna"
    case .alternatives: request.alternatives = [other]
    case .lowDataSource: request.lowDataSource = other
    }
  }
}

/// A modifier that changes nothing.
private struct Unchanged: RequestModifier {
  var identity: String? { nil }

  func modify(_ request: TransportRequest) async throws -> TransportRequest { request }
}
