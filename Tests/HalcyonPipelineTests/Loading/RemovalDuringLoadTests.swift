import HalcyonBackend
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// A removal while a load is in flight: the load delivers its image, and stores it nowhere.
@Suite(.unitTest)
struct RemovalDuringLoadTests {
  /// The first response has a width of 100 pixels and waits for ``release``; later ones have 60.
  private struct Held {
    let asked = Signal()
    let release = Signal()
    let fixture: PipelineFixture

    init(cache: ImageCache? = nil, configure: (inout PipelineConfiguration) -> Void = { _ in }) {
      let (asked, release) = (asked, release)
      let count = Counter()
      fixture = PipelineFixture(configure: {
        if let cache { $0.cache = cache }
        configure(&$0)
      }) { _ in
        count.increment()
        guard count.count == 1 else { return .response(body: SolidImage(width: 60, height: 50).data) }
        asked.set()
        await release.wait()
        return .response(body: SolidImage(width: 100, height: 50).data)
      }
    }

    /// The image of a request during whose load `removal` runs.
    func load(
      _ request: ImageRequest, during removal: (ImagePipeline) async throws -> Void
    ) async throws -> DecodedImage {
      let pipeline = fixture.pipeline
      let load = Task { try await pipeline.image(for: request) }
      await asked.wait()
      try await removal(pipeline)
      release.set()
      let image = try await load.value
      await pipeline.cache.flush()
      return image
    }
  }

  enum Removal: CaseIterable {
    case request, storeOnly, cache, tiers, memoryKey, assignment
  }

  @Test(arguments: Removal.allCases)
  func `an image removed during its load is delivered, and not stored`(_ removal: Removal) async throws {
    let disk = DiskCache(directory: URL.temporaryDirectory.appending(path: UUID().uuidString))
    defer { try? FileManager.default.removeItem(at: disk.directory) }
    let memory = MemoryCache()
    let held = Held(cache: ImageCache(memory: memory, store: disk))
    let request = ImageRequest(url: held.fixture.url)
    let image = try await held.load(request) { pipeline in
      switch removal {
      case .request: try await pipeline.removeImage(for: request)
      case .storeOnly: try await pipeline.removeImage(for: request, from: [.store])
      case .cache: try await pipeline.cache.removeAll()
      case .tiers:
        memory.removeAll()
        try await disk.removeEntries(ofSource: held.fixture.url.absoluteString)
      case .memoryKey: memory.removeImage(for: pipeline.cacheKey(for: request))
      case .assignment: pipeline[cached: request] = nil
      }
    }
    #expect(image.size.width == 100)
    #expect(memory.count == 0)
    let isOfMemory = removal == .memoryKey || removal == .assignment
    #expect(try await disk.count == (isOfMemory ? 1 : 0))
    #expect(try await held.fixture.pipeline.image(for: request).size.width == (isOfMemory ? 100 : 60))
    // All writes must be complete before the folder is removed.
    await held.fixture.pipeline.cache.flush()
  }

  @Test(arguments: [Removal.request, .cache, .assignment])
  func `a memory store of the program gets no image that was removed during its load`(_ removal: Removal) async throws {
    let memory = RequiredMembersStore(cache: MemoryCache())
    let held = Held(cache: ImageCache(memory: memory, store: MemoryDataStore()))
    let request = ImageRequest(url: held.fixture.url)
    _ = try await held.load(request) { pipeline in
      switch removal {
      case .request: try await pipeline.removeImage(for: request)
      case .assignment: pipeline[cached: request] = nil
      default: try await pipeline.cache.removeAll()
      }
    }
    #expect(memory.cache.count == 0)
  }

  @Test func `a load that begins after a removal does not join the one in flight`() async throws {
    let held = Held()
    let request = ImageRequest(url: held.fixture.url)
    let image = try await held.load(request) { pipeline in
      try await pipeline.removeImage(for: request)
      #expect(try await pipeline.image(for: request).size.width == 60)
    }
    #expect(image.size.width == 100)
    #expect(held.fixture.pipeline[cached: request]?.size.width == 60)
    held.fixture.memory.removeAll()
    #expect(try await held.fixture.pipeline.image(for: request).size.width == 60)
    #expect(held.fixture.transport.requests.count == 2)
  }

  @Test func `the removal of another image does not concern a load`() async throws {
    let held = Held()
    let request = ImageRequest(url: held.fixture.url)
    let other = ImageRequest(url: held.fixture.url.appending(path: "b"))
    _ = try await held.load(request) { try await $0.removeImage(for: other) }
    #expect(held.fixture.pipeline[cached: request] != nil)
    #expect(held.fixture.store.keys.count == 1)
  }

  @Test(arguments: ["processed", "encoded", "prefetched"])
  func `what is made of an image during a removal is not stored either`(form: String) async throws {
    let held = Held { $0.encoders = [SolidEncoder()] }
    let pipeline = held.fixture.pipeline
    let url = held.fixture.url
    let load = Task {
      switch form {
      case "processed":
        var request = ImageRequest(url: url, processors: [.grayscale])
        request.options.storage = .encoded(as: .bmp)
        _ = try await pipeline.image(for: request)
      case "encoded":
        let request = ImageRequest(url: url, size: .fit(width: 10, height: 10))
        _ = try await pipeline.encodedResponse(for: request, as: .bmp)
      default:
        #expect(await ImagePrefetcher(pipeline: pipeline, destination: .store).start([url]).result.failed.isEmpty)
      }
    }
    await held.asked.wait()
    try await pipeline.cache.removeAll()
    held.release.set()
    try await load.value
    await pipeline.cache.flush()
    #expect(held.fixture.memory.count == 0 && held.fixture.store.keys.isEmpty)
  }

  @Test func `a removal through the tiers of a store concerns loads in flight`() async throws {
    let purging = PurgingStore()
    let tiers = TieredStore([TieredStore.Tier(name: "memory", store: purging)])
    let held = Held(cache: ImageCache(store: tiers))
    let request = ImageRequest(url: held.fixture.url)
    _ = try await held.load(request) { _ in try await tiers.removeEntries(from: request.source) }
    #expect(held.fixture.pipeline[cached: request] == nil)
    #expect(purging.base.keys.isEmpty)
  }

  @Test(arguments: [true, false], [true, false])
  func `a stored image that is revalidated in the background is not stored after its removal`(
    isChanged: Bool, isRemovedByRequest: Bool
  ) async throws {
    let disk = DiskCache(directory: URL.temporaryDirectory.appending(path: UUID().uuidString))
    defer { try? FileManager.default.removeItem(at: disk.directory) }
    let (asked, release, count) = (Signal(), Signal(), Counter())
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=0, stale-while-revalidate=60"]
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(store: disk) }) { _ in
      count.increment()
      guard count.count > 1 else { return .response(body: SolidImage(width: 100, height: 50).data, headers: headers) }
      asked.set()
      await release.wait()
      return isChanged
        ? .response(body: SolidImage(width: 60, height: 50).data, headers: ["Cache-Control": "max-age=60"])
        : .response(status: 304, body: Data(), headers: headers)
    }
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    fixture.pipeline.cache.memory.removeAll()
    _ = try await fixture.pipeline.image(for: request)
    await asked.wait()
    let removal = Task {
      if isRemovedByRequest { return try await fixture.pipeline.removeImage(for: request) }
      try await disk.removeEntries(ofSource: fixture.url.absoluteString)
    }
    if !isRemovedByRequest { try await removal.value }
    while isRemovedByRequest, await fixture.pipeline.cachedTier(for: request) == .memory {
      try await Task.yieldUnlessCancelled()
    }
    release.set()
    try await removal.value
    await fixture.pipeline.cache.flush()
    #expect(try await disk.count == 0)
  }

  @Test func `a load whose older image the server confirms leaves the head of a newer one alone`() async throws {
    let (asked, release, count) = (Signal(), Signal(), Counter())
    let fixture = PipelineFixture { request in
      count.increment()
      guard request.headers["If-None-Match"] == nil else {
        asked.set()
        await release.wait()
        return .response(status: 304, body: Data(), headers: ["ETag": "\"1\""])
      }
      let isFirst = count.count == 1
      return .response(
        body: SolidImage(width: isFirst ? 100 : 60, height: 50).data,
        headers: ["ETag": isFirst ? "\"1\"" : "\"2\"", "Cache-Control": "max-age=0"])
    }
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    let older = Task { try await fixture.pipeline.image(for: request) }
    await asked.wait()
    let reloaded = ImageRequest(url: fixture.url) { $0.cachePolicy = .reload }
    #expect(try await fixture.pipeline.image(for: reloaded).size.width == 60)
    await fixture.pipeline.cache.flush()
    release.set()
    #expect(try await older.value.size.width == 100)
    await fixture.pipeline.cache.flush()
    let entry = try await fixture.store.entry(for: fixture.pipeline.cacheKey(for: request))
    #expect(entry?.metadata.headers["ETag"] == "\"2\"")
  }

  @Test(arguments: [Removal.request, .cache])
  func `a removal reaches the kept preview, the placeholder, the partial body and an image that is not stored`(
    removal: Removal
  ) async throws {
    let fixture = PipelineFixture { request in
      .response(
        body: SolidImage(width: 100, height: 50).data,
        headers: request.url.lastPathComponent == "unstored" ? ["Cache-Control": "no-store"] : [:])
    }
    let pipeline = fixture.pipeline
    for request in [ImageRequest(url: fixture.url), ImageRequest(url: fixture.url.appending(path: "unstored"))] {
      let shown = try await pipeline.image(for: request)
      let sized = ImageRequest(source: request.source, size: .fit(width: 10, height: 10))
      let preview = pipeline.cacheKey(for: sized).adding("preview", "last")
      fixture.memory.store(shown, for: preview)
      let fetch = pipeline.cacheKey(for: request)
      pipeline.cache.placeholders.insert(ThumbHash(shown.bitmap), for: fetch)
      let now = Date()
      try await fixture.store.store(
        StoredEntry(body: Data([1]), metadata: EntryMetadata(requestDate: now, responseDate: now)),
        for: fetch.ofPartialBody)
      #expect(pipeline.lookUpMemory(for: request).isHit && placeholder(of: request, pipeline) != nil)
      switch removal {
      case .request: try await pipeline.removeImage(for: sized)
      default: try await pipeline.cache.removeAll()
      }
      #expect(!fixture.memory.contains(preview))
      #expect(!pipeline.lookUpMemory(for: request).isHit)
      #expect(placeholder(of: request, pipeline) == nil)
      #expect(await pipeline.placeholder(for: request) == nil)
      #expect(fixture.store.keys.isEmpty)
      withExtendedLifetime(shown) {}
    }
  }

  @Test func `a removal reaches all of an image in a store that finds entries by their keys only`() async throws {
    let store = KeyStore()
    let fixture = PipelineFixture {
      ($0.cache, $0.encoders) = (ImageCache(store: store), [SolidEncoder()])
    } script: { _ in
      .response(body: SolidImage(width: 8, height: 8).data)
    }
    let request = ImageRequest(url: fixture.url, size: .fit(width: 4, height: 4)) { $0.storage = .encoded(as: .bmp) }
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(store.base.keys.count == 2)
    let now = Date()
    try await store.store(
      StoredEntry(body: Data([1]), metadata: EntryMetadata(requestDate: now, responseDate: now)),
      for: fixture.pipeline.cacheKey(for: ImageRequest(url: fixture.url)).ofPartialBody)
    try await fixture.pipeline.removeImage(for: request)
    #expect(store.base.keys.isEmpty)
  }
}

/// The placeholder in memory.
private func placeholder(of request: ImageRequest, _ pipeline: ImagePipeline) -> ThumbHash? {
  pipeline.cachedPlaceholder(for: request)
}

/// A store in memory that can remove the entries of a source.
private struct PurgingStore: PassingStore, SourcePurgingStore {
  let base = MemoryDataStore()

  func removeEntries(ofSource source: String) async throws -> Int {
    try await removeAll()
    return 1
  }
}
