import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct PrefetchToStoreTests {
  private func prefetcher(_ fixture: PipelineFixture) -> ImagePrefetcher {
    ImagePrefetcher(pipeline: fixture.pipeline, destination: .store)
  }

  @Test func `prefetching to the store keeps the bytes received and decodes nothing`() async throws {
    let fixture = PipelineFixture.serving()
    let result = await prefetcher(fixture).start([URL].numbered(3)).result
    #expect(result.completed.numbers == [0, 1, 2])
    #expect(fixture.store.count == 3)
    #expect(fixture.decoder.decodedSizes.isEmpty)
    #expect(fixture.memory.count == 0)
    let url = try #require([URL].numbered(1).first)
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: url)).origin == .store)
    #expect(fixture.transport.requests.count == 3)
  }

  @Test func `local files and inline data are skipped without being read`() async throws {
    let fixture = PipelineFixture.serving()
    let requests = [
      ImageRequest(url: URL(filePath: "/nowhere/at/all.bmp")), ImageRequest(source: .data(Data("?".utf8))),
    ]
    #expect(await prefetcher(fixture).start(requests).result.skipped.count == 2)
  }

  @Test func `a body that is not an image is not stored`() async throws {
    let fixture = PipelineFixture { _ in .response(body: Data("<html>Log in</html>".utf8)) }
    let result = await prefetcher(fixture).start([fixture.url]).result
    #expect(result.failed.map(\.error.name) == ["notAnImage"])
    #expect(fixture.store.keys.isEmpty)
  }

  @Test func `images that must not be stored fail, without a request when that is known before`() async throws {
    let forbidden = PipelineFixture { _ in
      .response(body: SolidImage(width: 8, height: 8).data, headers: ["Cache-Control": "no-store"])
    }
    #expect(await prefetcher(forbidden).start([forbidden.url]).result.failed.map(\.error.name) == ["notStorable"])

    let serving = PipelineFixture.serving()
    let request = ImageRequest(url: serving.url) { $0.storeAccess = .disabled }
    #expect(await prefetcher(serving).start([request]).result.failed.map(\.error.name) == ["notStorable"])

    let storeless = PipelineFixture(configure: { $0.cache = ImageCache(disk: nil) }) { _ in .failure(.cancelled) }
    #expect(await prefetcher(storeless).start([storeless.url]).result.failed.map(\.error.name) == ["notStorable"])
    #expect(serving.transport.requests.isEmpty)
    #expect(storeless.transport.requests.isEmpty)
  }

  /// A source, and how its image is stored.
  enum Stored: CaseIterable {
    case original, automatic, encoded, onlyEncoded
    case file, automaticOfFile, encodedOfFile
    case provided
    case data, encodedOfData

    /// The entries that prefetching it stores.
    var entryCount: Int {
      switch self {
      case .original, .automatic, .onlyEncoded, .encodedOfFile, .provided: 1
      case .encoded: 2
      case .file, .automaticOfFile, .data, .encodedOfData: 0
      }
    }

    func request(_ url: URL, file: URL) -> ImageRequest {
      let bytes = SolidImage(width: 8, height: 8).data
      let source: ImageSource =
        switch self {
        case .original, .automatic, .encoded, .onlyEncoded: .url(url)
        case .file, .automaticOfFile, .encodedOfFile: .url(file)
        case .provided: .data(key: "a") { bytes }
        case .data, .encodedOfData: .data(bytes)
        }
      var request = ImageRequest(source: source)
      switch self {
      case .original, .file, .provided, .data: break
      case .automatic, .automaticOfFile: request.options.storage = .automatic
      case .encoded, .encodedOfFile, .encodedOfData, .onlyEncoded:
        request.size = .fit(width: 4, height: 4)
        request.options.storage = .encoded(as: .bmp, keepsOriginal: self != .onlyEncoded)
      }
      return request
    }
  }

  @Test(arguments: Stored.allCases)
  func `what is stored already, or has not to be stored, is skipped`(stored: Stored) async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a.bmp")
      try SolidImage(width: 8, height: 8).data.write(to: file)
      let (origins, writes) = (EventLog<ImageOrigin>(), Counter())
      let fixture = PipelineFixture {
        $0.encoders = [SolidEncoder()]
        $0.eventHandler = { event in
          if case .finished(let origin, _) = event.kind { origins.record(origin) }
          if case .stored(.store, _) = event.kind { writes.increment() }
        }
      } script: { _ in
        .response(body: SolidImage(width: 8, height: 8).data)
      }
      let request = stored.request(fixture.url, file: file)
      for isFirst in [true, false] {
        let result = await prefetcher(fixture).start([request]).result
        let isLoaded = isFirst && stored.entryCount > 0
        #expect(result.completed.count == (isLoaded ? 1 : 0))
        #expect(result.skipped.count == (isLoaded ? 0 : 1))
        #expect(fixture.store.count == stored.entryCount)
      }
      let first = stored.entryCount > 0 ? ImageOrigin.network : .store
      #expect(origins.events == [first, .store])
      #expect(writes.count == stored.entryCount)
      #expect(fixture.memory.count == 0)
    }
  }

  @Test(arguments: [Stored.encoded, .onlyEncoded], [CacheAccess?.none, .readOnly])
  func `an image that memory has is stored in its processed form`(stored: Stored, access: CacheAccess?) async throws {
    let fixture = PipelineFixture(configure: { $0.encoders = [SolidEncoder()] }) { _ in
      .response(body: SolidImage(width: 8, height: 8).data)
    }
    var request = stored.request(fixture.url, file: fixture.url)
    request.memoryAccess = access
    fixture.pipeline[cached: stored.request(fixture.url, file: fixture.url)] = try solidImage(4, 4)
    #expect(await prefetcher(fixture).start([request]).result.completed.count == 1)
    #expect(fixture.store.count == stored.entryCount)
  }

  /// What the store refuses, and whether the prefetch fails with it.
  @Test(arguments: [
    (Stored.original, true, true), (.encoded, true, true), (.onlyEncoded, true, false), (.encoded, false, true),
    (.onlyEncoded, false, true), (.automatic, true, true),
  ])
  func `a prefetch fails if the store refuses what is to be stored`(
    stored: Stored, refusesOriginal: Bool, fails: Bool
  ) async throws {
    let original = SolidImage(width: 8, height: 8).data
    let store = InterceptedStore { body, base async throws in
      if (body == original) == refusesOriginal { throw CocoaError(.fileWriteNoPermission) }
      try await base()
    }
    let fixture = PipelineFixture(configure: {
      ($0.encoders, $0.cache) = ([SolidEncoder()], ImageCache(memory: MemoryCache(), store: store))
    }) { _ in .response(body: original) }
    let result = await prefetcher(fixture).start([stored.request(fixture.url, file: fixture.url)]).result
    #expect(result.failed.map(\.error.name) == (fails ? ["failed"] : []))
    #expect(result.completed.count == (fails ? 0 : 1))
  }

  @Test func `a visible load joins a prefetch that decodes for the store`() async throws {
    let joined = EventLog<String>()
    let held = HeldPipeline { configuration in
      configuration.encoders = [SolidEncoder()]
      configuration.eventHandler = { if case .joined(.image) = $0.kind { joined.record("image") } }
    }
    var request = ImageRequest(url: held.fixture.url, size: .fit(width: 4, height: 4))
    request.options.storage = .encoded(as: .bmp)
    let prefetch = prefetcher(held.fixture).start([request])
    try await held.gate.waitUntilHolding(1)
    let visible = held.pipeline.task(for: request)
    try await joined.waitForEvents(count: 1)
    held.gate.open()
    _ = try await visible.image
    #expect(await prefetch.result.completed.count == 1)
    await held.pipeline.cache.flush()
    #expect(held.began.events.count == 1)
    #expect(held.fixture.store.count == 2)
    #expect(try await held.pipeline.response(for: request).origin == .memory)
  }
}
