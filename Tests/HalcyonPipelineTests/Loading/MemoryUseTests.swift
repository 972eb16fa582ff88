import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

/// A use of an image in memory is a use of its entries on disk.
@Suite(.unitTest)
struct MemoryUseTests {
  private let clock = TestClock()

  /// A pipeline over a disk cache, as a process has it.
  private func pipeline(
    _ folder: URL, _ disk: DiskCacheConfiguration = DiskCacheConfiguration(cleaning: .whenAsked),
    encodedByteLimit: Int = 0, memory: (any MemoryStore)? = nil
  ) -> PipelineFixture {
    PipelineFixture {
      let memory = memory ?? MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20), time: clock)
      let store = DiskCache(directory: folder, configuration: disk, time: clock)
      $0.cache = ImageCache(memory: memory, store: store, encodedByteLimit: encodedByteLimit, time: clock)
      $0.time = clock
      $0.encoders = [SolidEncoder()]
    } script: { _ in
      .response(
        body: SolidImage(width: 40, height: 40, paddingByteCount: 8000).data,
        headers: ["Cache-Control": "max-age=100000000"])
    }
  }

  private func request(_ number: Int) throws -> ImageRequest {
    ImageRequest(url: try #require(URL(string: "http://example.com/\(number)")))
  }

  private func entries(_ pipeline: ImagePipeline) async throws -> [DiskCacheEntry] {
    try await #require(pipeline.cache.disk).entries.reduce(into: []) { $0.append($1) }
  }

  @Test(arguments: [false, true])
  func `after nine days of hits in memory another process finds the image`(isStoredEncoded: Bool) async throws {
    try await TemporaryDirectory.run { folder in
      let first = pipeline(folder).pipeline
      var request = try request(1)
      if isStoredEncoded { request.storage = .encoded(as: .bmp, keepsOriginal: false) }
      _ = try await first.image(for: request)
      await first.cache.flush()
      for _ in 0..<(9 * 24 * 15) {
        clock.advance(by: .seconds(240))
        #expect(first[cached: request] != nil)
      }
      await first.cache.willEnterBackground()
      let second = pipeline(folder).pipeline
      try await second.cache.clean()
      request.cachePolicy = .cacheOnly
      #expect(try await second.response(for: request).origin == .store)
    }
  }

  @Test(arguments: [0, 20]) func `an image that is used from memory is evicted last`(storesBetween: Int) async throws {
    try await TemporaryDirectory.run { folder in
      let fixture = pipeline(folder)
      let pipeline = fixture.pipeline
      for number in 0..<10 { _ = try await pipeline.image(for: request(number)) }
      await pipeline.cache.flush()
      for _ in 0..<500 { _ = try await pipeline.image(for: request(0)) }
      // Each write evicts in the order of uses, also of those within a minute.
      for number in 0..<storesBetween {
        _ = try await pipeline.image(for: request(100 + number))
        await pipeline.cache.flush()
        #expect(try await pipeline.response(for: request(0)).origin == .memory)
      }
      let disk = try #require(pipeline.cache.disk)
      await pipeline.cache.flush()
      var size = try await disk.totalSize
      while try await disk.count > 1 {
        size -= 4096
        disk.configuration.sizeLimit = size
        try await disk.clean()
      }
      #expect(try await entries(pipeline).map(\.source) == ["http://example.com/0"])
    }
  }

  @Test func `a program that shows images from memory is not idle`() async throws {
    try await TemporaryDirectory.run { folder in
      var configuration = DiskCacheConfiguration(expiration: .never, cleaning: .whenAsked)
      configuration.cleaning.wipesAfterIdle = .seconds(3600)
      let used = pipeline(folder, configuration).pipeline
      for number in 0..<3 { _ = try await used.image(for: request(number)) }
      await used.cache.flush()
      for _ in 0..<30 {
        clock.advance(by: .seconds(240))
        #expect(used[cached: try request(0)] != nil)
        try await used.cache.clean()
      }
      #expect(try await entries(used).count == 3)
      clock.advance(by: .seconds(3601))
      try await used.cache.clean()
      #expect(try await entries(used).isEmpty)
    }
  }

  @Test(arguments: [CacheAccess.readWrite, .writeOnly])
  func `a request that does not read the store uses no entry of it`(access: CacheAccess) async throws {
    try await TemporaryDirectory.run { folder in
      let (first, start) = (pipeline(folder).pipeline, clock.now())
      var request = try request(1)
      _ = try await first.image(for: request)
      await first.cache.flush()
      request.storeAccess = access
      clock.advance(by: .seconds(240))
      #expect(first[cached: request] != nil)
      first.cache.willTerminate()
      let entry = try #require(try await entries(pipeline(folder).pipeline).first)
      #expect((entry.lastUseDate.timeIntervalSince(start) > 200) == (access == .readWrite))
    }
  }

  @Test func `hits count about once a minute, for both processes`() async throws {
    try await TemporaryDirectory.run { folder in
      let (first, second) = (pipeline(folder).pipeline, pipeline(folder).pipeline)
      let start = clock.now()
      for pipeline in [first, second] {
        _ = try await pipeline.image(for: request(1))
        await pipeline.cache.flush()
      }
      for _ in 0..<120 {
        clock.advance(by: .seconds(5))
        for pipeline in [first, second] { #expect(pipeline[cached: try request(1)] != nil) }
      }
      for pipeline in [first, second] { pipeline.cache.willTerminate() }
      let entry = try #require(try await entries(pipeline(folder).pipeline).first)
      // Ten minutes of each process, and the read of the second one.
      #expect((15...25).contains(entry.hitCount))
      #expect(entry.lastUseDate.timeIntervalSince(start) > 500)
    }
  }

  @Test func `every kind of hit in memory is a use`() async throws {
    let kinds: [(String, @Sendable (ImagePipeline, ImageRequest) async throws -> Void)] = [
      ("image", { _ = try await $0.image(for: $1) }),
      ("task", { _ = try await $0.task(for: $1).image }),
      ("subscript", { #expect($0[cached: $1] != nil) }),
      ("view", { #expect($0.lookUpMemory(for: $1).isHit) }),
      ("batch", { _ = try await $0.batch(for: [$1]).images }),
      ("prefetching", { _ = await ImagePrefetcher(pipeline: $0).start([$1]).result }),
      (
        "processor",
        {
          _ = try await $0.image(for: ImageRequest(source: $1.source, processors: [.invert]))
        }
      ),
    ]
    for (name, use) in kinds {
      try await TemporaryDirectory.run { folder in
        let pipeline = pipeline(folder).pipeline
        _ = try await pipeline.image(for: request(1))
        await pipeline.cache.flush()
        clock.advance(by: .seconds(100))
        let now = clock.now()
        try await use(pipeline, request(1))
        await pipeline.cache.flush()
        #expect(try await entries(pipeline).first?.lastUseDate == now, "\(name)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `a use of a smaller image, or of an evicted one that is still shown, is one of the original`(
    isEvicted: Bool
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20), time: clock)
      let pipeline = pipeline(folder, memory: memory).pipeline
      var request = try request(1)
      request.size = .fit(width: 10, height: 10)
      let shown = try await pipeline.image(for: request)
      await pipeline.cache.flush()
      if isEvicted { memory.trim(to: 0) }
      clock.advance(by: .seconds(100))
      let now = clock.now()
      #expect(pipeline[cached: request] != nil)
      #expect(memory.statistics.hitsInUse == (isEvicted ? 1 : 0))
      withExtendedLifetime(shown) {}
      await pipeline.cache.flush()
      #expect(try await entries(pipeline).first?.lastUseDate == now)
    }
  }

  @Test func `a use of encoded bytes in memory, and of a memory store of the program, counts`() async throws {
    for isEncoded in [true, false] {
      try await TemporaryDirectory.run { folder in
        let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20), time: clock)
        let pipeline = pipeline(
          folder, encodedByteLimit: isEncoded ? 10 << 20 : 0,
          memory: isEncoded ? nil : RequiredMembersStore(cache: memory)
        ).pipeline
        _ = try await pipeline.image(for: request(1))
        await pipeline.cache.flush()
        clock.advance(by: .seconds(100))
        let now = clock.now()
        if isEncoded { pipeline.cache.memory.removeAll() }
        #expect(try await pipeline.response(for: request(1)).origin == (isEncoded ? .store : .memory))
        await pipeline.cache.flush()
        #expect(try await entries(pipeline).first?.lastUseDate == now)
      }
    }
  }

  @Test func `uses of images that were never stored create no folder`() async throws {
    try await TemporaryDirectory.run { parent in
      let folder = parent.appending(path: "cache")
      let pipeline = pipeline(folder).pipeline
      pipeline[cached: try request(1)] = try solidImage()
      #expect(pipeline[cached: try request(1)] != nil)
      await pipeline.cache.flush()
      #expect(!FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)))
    }
  }
}
