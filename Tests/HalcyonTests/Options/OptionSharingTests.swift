import Foundation
import Halcyon
import HalcyonCache
import HalcyonCodecs
import HalcyonTesting
import TestSupport
import TestTraits
import Testing

@testable import HalcyonPipeline

/// What requests share that differ in one option: work in flight, and cached images.
@Suite(.unitTest)
struct OptionSharingTests {
  private let file: Data
  private let base: ImageRequest

  init() throws {
    file = try TestImage.png()
    base = ImageRequest(
      url: try #require(URL(string: "http://example.com/a")), size: .fit(width: 20, height: 20), processors: [.invert])
  }

  /// Loads a changed request while `base` is in flight, and returns what it does first: a transfer of its own, or joining
  /// the work in flight for the image or the bytes.
  private func work(_ change: (inout ImageRequest, any Transport) -> Void) async throws -> String {
    let (gate, log, file) = (Gate(), EventLog<String>(), file)
    let script: @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply = { _ in
      log.record("transfer")
      try await gate.wait()
      return .response(body: file)
    }
    let cache = ImageCache(memory: MemoryCache(), store: MemoryDataStore())
    var configuration = PipelineConfiguration.standard(transport: ScriptedTransport(script), cache: cache)
    configuration.eventHandler = { if case .joined(let work) = $0.kind { log.record(work.rawValue) } }
    let pipeline = ImagePipeline(configuration: configuration)
    let first = pipeline.task(for: base)
    try await log.waitForEvents(count: 1)
    let second = pipeline.task(for: changed { change(&$0, ScriptedTransport(script)) })
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
    #expect(try await work { option.change(&$0, $1) } == option.sharedWork)
  }

  @Test func `every part of a cache policy decides what is shared`() async throws {
    let cases: [(WritableKeyPath<CachePolicy, Bool>, String)] = [
      (\.readsMemory, "bytes"), (\.writesMemory, "bytes"), (\.readsStore, "transfer"), (\.writesStore, "transfer"),
    ]
    for (part, expected) in cases {
      #expect(try await work { request, _ in request.cachePolicy[keyPath: part] = false } == expected)
    }
  }

  @Test(arguments: RequestOption.allCases)
  func `an option is part of the keys of the images and bytes that it changes`(option: RequestOption) throws {
    let other = changed { option.change(&$0, ScriptedTransport { _ in .failure(.cancelled) }) }.resolved(over: nil)
    let (keys, others) = (RequestKeys(base), RequestKeys(other))
    #expect((keys.image != others.image) == (option.changesBytes || option.changesImage))
    #expect((keys.fetch != others.fetch) == option.changesBytes)
    #expect(others.fetch == RequestKeys.fetch(other))
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
    case .priority, .timeout, .previews, .keepsPreviews, .showsStaleFirst, .waitsForStore,
      .storeExpiration, .tags, .isPinned, .fileExtension, .scaleFactor, .preloadsFrames, .imageModifier,
      .callbackExecutor, .userInfo, .returnsEncodedData, .alternatives, .lowDataSource:
      "image"
    // The image before the processor.
    case .processors, .processesFrames: "image"
    case .storage, .keepsOriginal, .memoryExpiration, .usesOriginalSize, .downsamplingScale, .allowsPartialImage,
      .firstFrameOnly, .size:
      "bytes"
    case .cachePolicy, .freshness, .usesETags, .targetCache, .originalCache, .retryStrategy,
      .requestModifier, .redirectHandler, .responseValidator, .streamTransform, .dataTransform, .transport, .decoder,
      .allowsErrorImage, .method, .body, .headers, .identity:
      "transfer"
    }
  }

  fileprivate var changesBytes: Bool { [.allowsErrorImage, .method, .body, .headers, .identity].contains(self) }

  fileprivate var changesImage: Bool {
    [.size, .processors, .usesOriginalSize, .downsamplingScale, .firstFrameOnly, .processesFrames, .decoder]
      .contains(self)
  }

  /// Sets the option to a value other than its default.
  fileprivate func change(_ request: inout ImageRequest, _ transport: any Transport) {
    let other = ImageSource.string("http://example.com/other")
    switch self {
    case .priority: request.priority = .high
    case .timeout: request.timeout = .seconds(100)
    case .previews: request.previews = .never
    case .keepsPreviews: request.options.keepsPreviews = true
    case .cachePolicy: request.cachePolicy = .disabled
    case .freshness: request.freshness = .revalidate
    case .usesETags: request.usesETags = false
    case .showsStaleFirst: request.showsStaleFirst = true
    case .targetCache: request.options.targetCache = ImageCache(store: MemoryDataStore())
    case .originalCache: request.options.originalCache = ImageCache(store: MemoryDataStore())
    case .waitsForStore: request.options.waitsForStore = true
    case .storage: request.options.storage = .sticker
    case .keepsOriginal: request.options.keepsOriginal = false
    case .memoryExpiration: request.options.memoryExpiration = .seconds(9)
    case .storeExpiration: request.options.storeExpiration = .seconds(9)
    case .tags: request.options.tags = ["trip"]
    case .isPinned: request.options.isPinned = true
    case .fileExtension: request.options.fileExtension = "png"
    case .usesOriginalSize: request.options.usesOriginalSize = true
    case .downsamplingScale: request.options.downsamplingScale = 0.5
    case .scaleFactor: request.options.scaleFactor = 2
    case .allowsPartialImage: request.allowsPartialImage = true
    case .allowsErrorImage: request.allowsErrorImage = true
    case .firstFrameOnly: request.options.firstFrameOnly = true
    case .preloadsFrames: request.options.preloadsFrames = true
    case .processesFrames: request.options.processesFrames = true
    case .imageModifier: request.options.imageModifier = { $0 }
    case .callbackExecutor: request.options.callbackExecutor = .immediate
    case .userInfo: request.options.userInfo = ["a": 1]
    case .returnsEncodedData: request.options.returnsEncodedData = true
    case .retryStrategy: request.options.retryStrategy = NoRetry()
    case .requestModifier: request.options.requestModifier = Unchanged()
    case .redirectHandler: request.options.redirectHandler = { $1 }
    case .responseValidator: request.options.responseValidator = { _ in }
    case .streamTransform: request.options.streamTransform = { _ in Unchanged() }
    case .dataTransform: request.options.dataTransform = { data, _ in data }
    case .transport: request.options.transport = transport
    case .decoder: request.options.decoder = PNGDecoder()
    case .size: request.size = .fit(width: 10, height: 10)
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

/// Hooks that change nothing.
private struct Unchanged: RequestModifier, StreamTransform {
  var identity: String? { nil }

  func modify(_ request: TransportRequest) async throws -> TransportRequest { request }
  mutating func transform(_ piece: Data) throws -> Data { piece }
  mutating func finish() throws -> Data { Data() }
}
