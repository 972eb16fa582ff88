import HalcyonTestDoubles
import Foundation
import Halcyon
import HalcyonBackend
import HalcyonCache
import HalcyonCodecs
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

/// Nothing made of an original is delivered once a newer original is known, and nothing of a removed one.
@Suite(.integrationTest)
struct NewerOriginalTests {
  /// What is made of an original, and the original itself.
  enum Form: CaseIterable {
    case original, size, processed, thumbnail, firstFrame, encodedData, encodedResponse, bytes

    /// Loads this form, and returns the version of its original.
    func version(_ pipeline: ImagePipeline, _ policy: CachePolicy? = nil) async throws -> Int {
      var request = ImageRequest(url: Versions.url)
      request.options.cachePolicy = policy
      let size: PixelSize
      switch self {
      case .original: size = try await pipeline.image(for: request).size
      case .size:
        request.size = .fit(width: 20, height: 20)
        size = try await pipeline.image(for: request).size
      case .processed:
        request.processors = [.grayscale, .invert]
        size = try await pipeline.image(for: request).size
      case .thumbnail:
        request.size = .fit(width: 10, height: 10)
        request.options.storage = .photo
        size = try await pipeline.image(for: request).size
      case .firstFrame:
        request.options.animation = .firstFrame
        size = try await pipeline.image(for: request).size
      case .encodedData:
        request.size = .fit(width: 20, height: 20)
        size = try await Self.size(of: pipeline.encodedData(for: request, as: .webp))
      case .encodedResponse:
        size = try await Self.size(of: pipeline.encodedResponse(for: request, as: .jpeg).data)
      case .bytes: size = try await Self.size(of: pipeline.data(for: request))
      }
      return size.width / size.height
    }

    private static func size(of data: Data) async throws -> PixelSize { try await DecodedImage(data: data).size }
  }

  /// The versions of an image: version 1 is a square, version 2 is twice as wide as it is high, and so on.
  final class Versions: Sendable {
    static let url = URL(string: "http://example.com/photo") ?? URL(filePath: "/")

    let current = Lock(1)
    let status = Lock(200)
    let headers = Lock<HTTPHeaders>(["Cache-Control": "max-age=1000"])
    let clock = TestClock()
    let requests = Counter()

    func pipeline(_ cache: ImageCache) -> ImagePipeline {
      ImagePipeline { configuration in
        configuration.cache = cache
        configuration.time = clock
        configuration.failureLifetimes = .none
        configuration.options.retryStrategy = .never
        configuration.transport = ScriptedTransport { [self] _ in
          requests.increment()
          let version = current.withLock { $0 }
          var headers = headers.withLock { $0 }
          headers["ETag"] = "\"\(version)\""
          return .response(
            status: status.withLock { $0 }, body: try TestImage.png(width: version * 40, height: 40), headers: headers)
        }
      }
    }
  }

  enum Store: CaseIterable {
    case none, disk, tiers, purging, double, keysOnly, memcached

    static var available: [Store] { allCases.filter { $0 != .memcached || MemcachedProcess.isInstalled } }

    /// Whether it finds entries by their source.
    var isPurging: Bool { self != .keysOnly }

    func run(_ clock: TestClock, _ body: ((any DataStore)?) async throws -> Void) async throws {
      try await TemporaryDirectory.run { folder in
        var configuration = DiskCacheConfiguration()
        configuration.cleaning.occasions = []
        let disk = DiskCache(directory: folder, configuration: configuration, time: clock)
        switch self {
        case .none: try await body(nil)
        case .disk: try await body(disk)
        case .keysOnly: try await body(KeyStore())
        case .double: try await body(MemoryDataStore())
        case .purging: try await body(SourceStore())
        case .tiers:
          try await body(
            TieredStore([.init(name: "disk", store: disk), .init(name: "shared", store: SourceStore())], time: clock))
        case .memcached:
          #if canImport(CHalcyonMemcached)
          try await MemcachedProcess.run { servers in
            let addresses = servers.map { MemcachedServer(host: "127.0.0.1", port: $0.port) }
            var configuration = MemcachedConfiguration()
            configuration.timeout = .seconds(20)
            let memcached = MemcachedStore(servers: addresses, configuration: configuration, time: clock)
            try await body(TieredStore([.init(name: "disk", store: disk), .init(name: "shared", store: memcached)]))
          }
          #else
          try await body(disk)
          #endif
        }
      }
    }
  }

  private func run(_ store: Store, _ body: (Versions, ImageCache, ImagePipeline) async throws -> Void) async throws {
    let versions = Versions()
    try await store.run(versions.clock) { dataStore in
      let memory = MemoryCache(time: versions.clock)
      // One row has a memory store of the program's, too.
      let cache = ImageCache(
        memory: store == .keysOnly ? RequiredMembersStore(cache: memory) : memory, store: dataStore,
        encodedByteLimit: 1 << 20)
      let pipeline = versions.pipeline(cache)
      for form in Form.allCases { #expect(try await form.version(pipeline) == 1) }
      await cache.flush()
      try await body(versions, cache, pipeline)
      await cache.flush()
    }
  }

  @Test func `a newer original leaves neither the placeholder nor the image in use of the earlier one`() async throws {
    let versions = Versions()
    let pipeline = versions.pipeline(ImageCache(memory: MemoryCache(), store: MemoryDataStore()))
    let request = ImageRequest(url: Versions.url)
    _ = try await pipeline.image(for: request)
    #expect(pipeline.cachedPlaceholder(for: request) != nil)
    // No response has a placeholder from now on, and the images in use are the only ones in memory.
    versions.headers.withLock { $0 = ["Cache-Control": "no-store"] }
    versions.current.withLock { $0 = 2 }
    let small = ImageRequest(url: Versions.url, size: .fit(width: 20, height: 20))
    var reloaded = small
    reloaded.cachePolicy = .reload
    let shown = try await pipeline.image(for: reloaded)
    #expect(pipeline.cachedPlaceholder(for: request) == nil)
    #expect(pipeline.lookUpMemory(for: small).isHit)
    versions.current.withLock { $0 = 3 }
    #expect(try await Form.original.version(pipeline, .reload) == 3)
    #expect(!pipeline.lookUpMemory(for: small).isHit)
    withExtendedLifetime(shown) {}
  }

  @Test(arguments: Store.available, [CachePolicy.reload, .revalidate])
  func `after a refresh of any form every form is the new one`(store: Store, policy: CachePolicy) async throws {
    for refreshed in Form.allCases {
      for (isFlushed, isEmptied) in [(false, false), (true, false), (true, true)] {
        try await run(store) { versions, cache, pipeline async throws in
          versions.current.withLock { $0 = 2 }
          #expect(try await refreshed.version(pipeline, policy) == 2)
          if isFlushed { await cache.flush() }
          if isEmptied { cache.memory.removeAll() }
          for form in Form.allCases {
            #expect(try await form.version(pipeline) == 2, "\(form) after \(refreshed)")
          }
          for form in Form.allCases {
            #expect(try await form.version(pipeline, .cacheFirst) == 2, "\(form) after \(refreshed)")
          }
        }
      }
    }
  }

  @Test(arguments: Store.available.filter { $0 != .none }, [0, 10])
  func `a later process finds nothing of the older original`(store: Store, seconds: Int) async throws {
    for refreshed in Form.allCases {
      try await run(store) { versions, cache, pipeline async throws in
        versions.current.withLock { $0 = 2 }
        versions.clock.advance(by: .seconds(seconds))
        #expect(try await refreshed.version(pipeline, .reload) == 2)
        await cache.flush()
        let later = versions.pipeline(ImageCache(memory: MemoryCache(time: versions.clock), store: cache.store))
        for form in Form.allCases {
          let version = try? await form.version(later, .cacheOnly)
          #expect(version == nil || version == 2, "\(form) after \(refreshed)")
        }
        await later.cache.flush()
      }
    }
  }

  @Test(arguments: Store.available.filter(\.isPurging), Form.allCases)
  func `the removal of any form removes every form`(store: Store, removed: Form) async throws {
    try await run(store) { versions, cache, pipeline async throws in
      var request = ImageRequest(url: Versions.url)
      if removed == .thumbnail { request.options.storage = .photo }
      if removed != .original { request.size = .fit(width: 10, height: 10) }
      try await pipeline.removeImage(for: request)
      for form in Form.allCases {
        await #expect(throws: ImageError.self, "\(form)") { _ = try await form.version(pipeline, .cacheOnly) }
      }
      #expect(await pipeline.placeholder(for: request) == nil)
      if let disk = cache.disk { #expect(try await disk.count == 0) }
      versions.current.withLock { $0 = 2 }
      for form in Form.allCases { #expect(try await form.version(pipeline) == 2) }
    }
  }

  @Test func `a store that a program writes is told of removals and of newer originals`() async throws {
    let (versions, store) = (Versions(), SourceStore())
    let pipeline = versions.pipeline(ImageCache(memory: MemoryCache(), store: store))
    for form in Form.allCases { _ = try await form.version(pipeline) }
    await pipeline.cache.flush()
    #expect(store.sources.withLock { $0 } == [])
    versions.current.withLock { $0 = 2 }
    _ = try await Form.size.version(pipeline, .reload)
    await pipeline.cache.flush()
    #expect(store.sources.withLock { $0 } == [Versions.url.absoluteString])
    try await pipeline.removeImage(for: ImageRequest(url: Versions.url))
    #expect(store.sources.withLock { $0.count } == 2)
    #expect(store.base.keys.isEmpty)
  }

  @Test(arguments: [Store.disk, .keysOnly])
  func `an image that is made of the older original meanwhile is delivered, and kept nowhere`(
    store: Store
  ) async throws {
    try await run(store) { versions, cache, pipeline async throws in
      let (isProcessing, mayEnd) = (Signal(), Gate())
      var request = ImageRequest(
        url: Versions.url,
        processors: [
          .custom(identifier: "held") { bitmap in
            isProcessing.set()
            mayEnd.waitBlocking()
            return bitmap
          }
        ])
      request.options.storage = .photo
      let held = Task { [request] in try await pipeline.image(for: request) }
      await isProcessing.wait()
      versions.current.withLock { $0 = 2 }
      #expect(try await Form.original.version(pipeline, .reload) == 2)
      mayEnd.open()
      #expect(try await held.value.size.width == 40)
      await cache.flush()
      for _ in 0..<2 {
        #expect(try await pipeline.image(for: request).size.width == 80)
        cache.memory.removeAll()
      }
    }
  }

  @Test(arguments: Store.available)
  func `original bytes that a program stores replace those that were loaded`(store: Store) async throws {
    guard store != .none else { return }
    try await run(store) { versions, _, pipeline async throws in
      versions.current.withLock { $0 = 3 }
      try await pipeline.store(
        original: try TestImage.png(width: 80, height: 40), for: ImageRequest(url: Versions.url))
      for form in Form.allCases { #expect(try await form.version(pipeline, .cacheFirst) == 2, "\(form)") }
    }
  }

  @Test func `what was made of the same bytes stays`() async throws {
    try await run(.disk) { versions, cache, pipeline async throws in
      versions.clock.advance(by: .seconds(10))
      versions.headers.withLock { $0["Cache-Control"] = "max-age=2000" }
      for form in [Form.original, .bytes] { #expect(try await form.version(pipeline, .reload) == 1) }
      await cache.flush()
      let request = ImageRequest(url: Versions.url)
      #expect(try await pipeline.encodedResponse(for: request, as: .jpeg).wasStored)
      let later = versions.pipeline(ImageCache(memory: MemoryCache(time: versions.clock), store: cache.store))
      #expect(try await later.encodedResponse(for: request, as: .jpeg).wasStored)
      await later.cache.flush()
    }
  }

  @Test func `a revalidation in the background replaces what was made of the older original`() async throws {
    try await run(.disk) { versions, cache, pipeline async throws in
      versions.headers.withLock { $0["Cache-Control"] = "max-age=0, stale-while-revalidate=1000" }
      _ = try await Form.original.version(pipeline, .reload)
      for form in Form.allCases { _ = try await form.version(pipeline, .cacheFirst) }
      await cache.flush()
      versions.current.withLock { $0 = 2 }
      cache.memory.removeAll()
      #expect(try await Form.bytes.version(pipeline) == 1, "it is served stale")
      await cache.flush()
      for form in Form.allCases { #expect(try await form.version(pipeline, .cacheFirst) == 2, "\(form)") }
    }
  }

  @Test(arguments: [404, 410]) func `what was made of an original that is gone is removed`(status: Int) async throws {
    try await run(.disk) { versions, cache, pipeline async throws in
      versions.status.withLock { $0 = status }
      await #expect(throws: ImageError.self) { _ = try await Form.original.version(pipeline, .revalidate) }
      await cache.flush()
      for form in Form.allCases {
        await #expect(throws: ImageError.self, "\(form)") { _ = try await form.version(pipeline, .cacheOnly) }
      }
    }
  }

  @Test func `a newer response that is not an image removes nothing`() async throws {
    try await run(.disk) { versions, _, pipeline async throws in
      let broken = ImagePipeline(
        configuration: {
          var configuration = pipeline.configuration
          configuration.transport = ScriptedTransport { _ in
            .response(body: try TestImage.png(width: 80, height: 40).prefix(60), headers: ["ETag": "\"2\""])
          }
          return configuration
        }())
      await #expect(throws: ImageError.self) { _ = try await Form.original.version(broken, .reload) }
      for form in Form.allCases { #expect(try await form.version(pipeline, .cacheOnly) == 1, "\(form)") }
    }
  }
}

/// A store that finds entries by their source.
private final class SourceStore: PassingStore, SourcePurgingStore {
  let base = MemoryDataStore()
  let sources = Lock<[String]>([])

  func removeEntries(ofSource source: String) async throws -> Int {
    sources.withLock { $0.append(source) }
    return try await base.removeEntries(ofSource: source)
  }
}
