import HalcyonImaging
import HalcyonHTTP
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct CacheAccessTests {
  private let bytes = SolidImage(width: 100, height: 50).data

  @Test func `an image stored under any key is read back from memory and from the store`() async throws {
    let fixture = PipelineFixture.serving()
    for key in ["avatar", "", "ä/..?#", "https://example.com/a"] {
      let request = ImageRequest.cached(key)
      let image = try solidImage(7, 7)
      try await fixture.pipeline.store(image, original: bytes, for: request)
      #expect(try await fixture.pipeline.response(for: request).origin == .memory)
      #expect(fixture.pipeline[cached: request]?.size.width == 7)
      fixture.memory.removeAll()
      let response = try await fixture.pipeline.response(for: request)
      #expect(response.origin == .store)
      #expect(response.image.size.width == 100)
      #expect(fixture.pipeline[cached: request]?.size.width == 100, "a store hit is inserted into memory")
      let small = ImageRequest.cached(key, size: .fit(width: 10, height: 10))
      #expect(try await fixture.pipeline.image(for: small).size.width == 10)
    }
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `a partial image is stored in no tier`() async throws {
    let fixture = PipelineFixture(configure: { $0.encoders = [SolidEncoder()] }) { _ in .failure(.cancelled) }
    let whole = try solidImage()
    let partial = DecodedImage(bitmap: whole.bitmap, info: whole.info, isPartial: true)
    let request = ImageRequest(url: fixture.url)
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.store(partial, for: request) }
    #expect(error?.name == "notStorable")
    fixture.pipeline[cached: request] = partial
    await fixture.pipeline.cache.flush()
    #expect(fixture.memory.contains(fixture.pipeline.cacheKey(for: request)) == false)
    #expect(fixture.store.keys.isEmpty)
  }

  @Test(arguments: CachePolicy.allCases)
  func `a cached image is found whatever the policy of its request is`(policy: CachePolicy) async throws {
    let fixture = PipelineFixture.serving()
    try await fixture.pipeline.store(original: bytes, for: .cached("a"))
    let request = ImageRequest.cached("a") { $0.cachePolicy = policy }
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
    #expect(try await fixture.pipeline.response(for: request).origin == .memory)
    #expect(try await fixture.pipeline.data(for: request) == bytes)
    let error = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.image(for: .cached("b") { $0.cachePolicy = policy })
    }
    #expect(error?.name == "notCached")
  }

  @Test func `a cached image is found while its response is stale, and nothing is loaded in its place`() async throws {
    let clock = TestClock()
    let fixture = PipelineFixture(configure: {
      ($0.time, $0.cache) = (clock, ImageCache(memory: MemoryCache(), store: nil))
    }) { [bytes] _ in .response(body: bytes, headers: ["Cache-Control": "max-age=1"]) }
    let url = fixture.url
    _ = try await fixture.pipeline.image(for: ImageRequest(source: .url(key: "a") { url }))
    clock.advance(by: .seconds(10))
    #expect(try await fixture.pipeline.response(for: .cached("a")).origin == .memory)
    let error = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.image(for: .cached("b") { $0.alternatives = [.url(url)] })
    }
    #expect(error?.name == "allSourcesFailed")
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `an image loaded from a source with a key is found under that key`() async throws {
    let fixture = PipelineFixture.serving()
    let url = fixture.url
    let source = ImageSource.url(key: "users/17") { url }
    _ = try await fixture.pipeline.image(for: ImageRequest(source: source))
    #expect(fixture.pipeline[cached: .cached("users/17")] != nil)
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    #expect(try await fixture.pipeline.response(for: .cached("users/17")).origin == .store)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `an image stored for a URL is not fetched`() async throws {
    let fixture = PipelineFixture.serving()
    try await fixture.pipeline.store(original: bytes, for: ImageRequest(url: fixture.url) { $0.tags = ["trip"] })
    let response = try await fixture.pipeline.response(for: ImageRequest(url: fixture.url))
    #expect(response.origin == .store)
    #expect(response.url == fixture.url)
    #expect(fixture.transport.requests.isEmpty)
    let key = try #require(fixture.store.keys.first)
    #expect(try await fixture.store.entry(for: key)?.metadata.tags == ["trip"])
  }

  @Test func `the tier that holds an image is reported`() async throws {
    let fixture = PipelineFixture.serving()
    let request = ImageRequest(url: fixture.url)
    #expect(await fixture.pipeline.cachedTier(for: request) == nil)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(await fixture.pipeline.cachedTier(for: request) == .memory)
    let small = ImageRequest(url: fixture.url, size: .fit(width: 1, height: 1))
    #expect(await fixture.pipeline.cachedTier(for: small) == .store)
    fixture.memory.removeAll()
    #expect(await fixture.pipeline.cachedTier(for: request) == .store)
    #expect(
      await fixture.pipeline.cachedTier(for: ImageRequest(url: fixture.url) { $0.storeAccess = .disabled }) == nil)
    #expect(fixture.decoder.decodedSizes.count == 1)
  }

  @Test func `looking up the tier renews no expiration, and expired entries are absent`() async throws {
    let clock = TestClock()
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(
        directory: folder, configuration: DiskCacheConfiguration(expiration: .after(.seconds(100))), time: clock)
      let memory = MemoryCache(
        configuration: MemoryCacheConfiguration(costLimit: 1 << 20, expiration: .after(.seconds(10))), time: clock)
      let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: memory, store: disk) }) { _ in
        .failure(.cancelled)
      }
      try await fixture.pipeline.store(solidImage(), original: bytes, for: .cached("a"))
      try FileManager.default.setAttributes([.modificationDate: clock.now()], ofItemAtPath: folder.entryFile())
      for tier in [CacheTier.memory, .memory, .store, .store] {
        #expect(await fixture.pipeline.cachedTier(for: .cached("a")) == tier)
        clock.advance(by: .seconds(6))
      }
      clock.advance(by: .seconds(90))
      #expect(await fixture.pipeline.cachedTier(for: .cached("a")) == nil)
    }
  }

  @Test func `removing deletes one image, clearing deletes all`() async throws {
    let fixture = PipelineFixture.serving()
    for key in ["a", "b", "c"] { try await fixture.pipeline.store(solidImage(), original: bytes, for: .cached(key)) }
    try await fixture.pipeline.removeImage(for: .cached("a"))
    #expect(await fixture.pipeline.cachedTier(for: .cached("a")) == nil)
    #expect(await fixture.pipeline.cachedTier(for: .cached("b")) == .memory)
    #expect(fixture.store.count == 2)
    try await fixture.pipeline.cache.removeAll()
    #expect(fixture.store.keys.isEmpty)
    #expect(fixture.memory.count == 0)
  }

  @Test func `an image can be removed from one tier only`() async throws {
    let fixture = PipelineFixture.serving()
    for key in ["a", "b"] { try await fixture.pipeline.store(solidImage(), original: bytes, for: .cached(key)) }
    try await fixture.pipeline.removeImage(for: .cached("a"), from: [.memory])
    #expect(await fixture.pipeline.cachedTier(for: .cached("a")) == .store)
    try await fixture.pipeline.removeImage(for: .cached("b"), from: [.store])
    #expect(fixture.pipeline[cached: .cached("b")] != nil)
    #expect(fixture.store.keys.count == 1)
  }

  @Test func `metadata stored with an image is returned`() async throws {
    let fixture = PipelineFixture.serving()
    #expect(try await fixture.pipeline.storedMetadata(for: .cached("a")) == nil)
    let mine = Data("caption".utf8)
    try await fixture.pipeline.store(original: bytes, for: .cached("a") { $0.tags = ["trip"] }, userInfo: mine)
    let metadata = try await fixture.pipeline.storedMetadata(for: .cached("a", size: .fit(width: 5, height: 5)))
    #expect(metadata?.userInfo == mine && metadata?.tags == ["trip"])
  }

  @Test func `usage is reported, and expired entries are removed`() async throws {
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(directory: folder)
      let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: MemoryCache(), store: disk) }) { _ in
        .failure(.cancelled)
      }
      let cache = fixture.pipeline.cache
      try await fixture.pipeline.store(
        solidImage(), original: bytes,
        for: .cached("kept") { ($0.memoryExpiration, $0.storeExpiration) = (.never, .never) })
      #expect(try await cache.byteCount(of: .memory) == 400)
      #expect(try await cache.byteCount(of: .store) == 8192)
      try await fixture.pipeline.store(
        original: bytes, for: .cached("old") { $0.storeExpiration = .date(.distantPast) })
      #expect(await fixture.pipeline.cachedTier(for: .cached("old")) == nil)
      #expect(try await disk.count == 2)
      try await cache.clean()
      #expect(try await disk.count == 1)
      #expect(try await ImageCache(disk: nil).byteCount(of: .store) == 0)
    }
  }

  @Test func `bytes that cannot be stored are rejected with the reason`() async throws {
    let fixture = PipelineFixture.serving()
    let notAnImage = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.store(original: Data("<html>".utf8), for: .cached("a"))
    }
    #expect(notAnImage?.name == "notAnImage")
    let nowhere = ImageRequest.cached("a") { ($0.memoryAccess, $0.storeAccess) = (.disabled, .disabled) }
    let forbidden = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.store(solidImage(), original: bytes, for: nowhere)
    }
    #expect(forbidden?.name == "notStorable")
    #expect(await fixture.pipeline.cachedTier(for: .cached("a")) == nil)
    #expect(fixture.store.keys.isEmpty)
  }

  @Test func `an image that is stored with memory disabled is in the store only`() async throws {
    let fixture = PipelineFixture.serving()
    let request = ImageRequest.cached("a") { $0.memoryAccess = .disabled }
    try await fixture.pipeline.store(solidImage(), original: bytes, for: request)
    #expect(await fixture.pipeline.cachedTier(for: .cached("a")) == .store)
    #expect(fixture.memory.count == 0)
  }

  @Test func `bytes of an image without a store are left out, and the image is in memory`() async throws {
    let fixture = PipelineFixture.serving()
    let memoryOnly = ImageRequest.cached("a") { $0.options = .memoryOnly }
    try await fixture.pipeline.store(solidImage(), original: bytes, for: memoryOnly)
    #expect(await fixture.pipeline.cachedTier(for: memoryOnly) == .memory)
    #expect(fixture.store.keys.isEmpty)
    let storeless = PipelineFixture(configure: { $0.cache = ImageCache(memory: MemoryCache(), store: nil) }) { _ in
      .failure(.cancelled)
    }
    try await storeless.pipeline.store(solidImage(), original: bytes, for: .cached("a"))
    #expect(await storeless.pipeline.cachedTier(for: .cached("a")) == .memory)
  }
}

extension URL {
  /// The path of the only entry file in the folder of a disk cache.
  fileprivate func entryFile() throws -> String {
    let blobs = appending(path: "v\(DiskCache.format)/d")
    let files = try FileManager.default.subpathsOfDirectory(atPath: blobs.path()).filter { $0.contains("/") }
    return blobs.appending(path: try #require(files.first)).path()
  }
}
