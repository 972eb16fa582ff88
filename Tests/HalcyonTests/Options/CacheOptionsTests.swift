import HalcyonSupport
import Foundation
import Halcyon
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Cache policies that select the tiers read and written, with a real disk cache.
@Suite(.integrationTest)
struct CacheOptionsTests {
  private let image: Data

  init() throws { image = try TestImage.png() }

  @Test func `memoryOnly does not access the disk`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { $0.storeAccess = .disabled }
      #expect(try await fixture.origin(request) == .network)
      #expect(try await fixture.origin(request) == .memory)
      #expect(!FileManager.default.fileExists(atPath: fixture.disk.directory.path()))
      _ = try await fixture.pipeline.image(for: fixture.request { $0.memoryAccess = .disabled })
      fixture.memory.removeAll()
      #expect(try await fixture.origin(request) == .network)
    }
  }

  @Test func `memoryOnly stores an image without bytes in memory and nothing on disk`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let decoded = try await fixture.pipeline.image(for: ImageRequest(source: .data(image)))
      let request = fixture.request { $0.storeAccess = .disabled }
      try await fixture.pipeline.store(decoded, for: request)
      #expect(fixture.pipeline[cached: request]?.size == decoded.size)
      await fixture.pipeline.cache.flush()
      #expect(!FileManager.default.fileExists(atPath: fixture.disk.directory.path()))
      #expect(await fixture.pipeline.cachedTier(for: fixture.request { $0.memoryAccess = .disabled }) == nil)
    }
  }

  @Test func `the shared pipeline has a disk cache in the default folder, and creates it when it is used`() async throws
  {
    let disk = try #require(ImagePipeline.shared.cache.disk)
    #expect(disk.directory == DiskCache.defaultDirectory)
    let folder = disk.directory.appending(path: "v\(DiskCache.format)").path()
    let exists = FileManager.default.fileExists(atPath: folder)
    #expect(ImagePipeline.shared[cached: fixtureRequest] == nil)
    #expect(ImagePipeline.shared.cache.memory is MemoryCache)
    #expect(FileManager.default.fileExists(atPath: folder) == exists)
  }

  private var fixtureRequest: ImageRequest { ImageRequest(source: .string("http://example.com/\(UUID().uuidString)")) }

  @Test func `storeOnly reads every image from the disk`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { $0.memoryAccess = .disabled }
      #expect(try await fixture.origin(request) == .network)
      #expect(fixture.memory.count == 0)
      _ = try await fixture.pipeline.image(for: fixture.request())
      #expect(fixture.memory.count == 1)
      #expect(try await fixture.origin(request) == .store)
    }
  }

  @Test func `ignoringStore does not read the disk, and overwrites its entry`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request { $0.storeAccess = .writeOnly }
      #expect(try await fixture.origin(request) == .network)
      #expect(try await fixture.origin(request) == .memory)
      fixture.memory.removeAll()
      #expect(try await fixture.origin(request) == .network)
      fixture.memory.removeAll()
      #expect(try await fixture.origin(fixture.request()) == .store)
      #expect(fixture.transport.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    }
  }

  @Test func `reads and writes of each tier can be switched separately`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let noWrites = fixture.request {
        ($0.memoryAccess, $0.storeAccess) = (.readOnly, .readOnly)
      }
      #expect(try await fixture.origin(noWrites) == .network)
      #expect(fixture.memory.count == 0)
      #expect(try await fixture.storedFormats.isEmpty)
      _ = try await fixture.pipeline.image(for: fixture.request())
      #expect(try await fixture.origin(fixture.request()) == .memory)
      let noMemory = fixture.request { $0.memoryAccess = .writeOnly }
      #expect(try await fixture.origin(noMemory) == .store)
      let noReads = fixture.request {
        ($0.memoryAccess, $0.storeAccess) = (.writeOnly, .writeOnly)
      }
      #expect(try await fixture.origin(noReads) == .network)
    }
  }

  @Test func `reload downloads a fresh image again, and stores it`() async throws {
    let (old, new) = (image, try TestImage.png(width: 10))
    let responseCount = Lock(0)
    try await OptionsFixture.run { _ in
      let number = responseCount.withLock { count in
        count += 1
        return count
      }
      if number == 3 { return .failure(.hostNotFound("example.com")) }
      return .response(
        body: number == 1 ? old : new, headers: ["Cache-Control": "max-age=1000, immutable", "ETag": "1"])
    } body: { fixture async throws in
      #expect(try await fixture.pipeline.image(for: fixture.request()).size.width == 40)
      await fixture.pipeline.cache.flush()
      let refresh = fixture.request { $0.cachePolicy = .reload }
      #expect(try await fixture.pipeline.image(for: refresh).size.width == 10)
      #expect(fixture.transport.requests[1].headers["If-None-Match"] == nil)
      #expect(fixture.transport.requests[1].headers["Cache-Control"] == "no-cache")
      for _ in 0..<2 {
        await fixture.pipeline.cache.flush()
        #expect(try await fixture.pipeline.image(for: fixture.request()).size.width == 10)
        fixture.memory.removeAll()
      }
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: refresh) }
    }
  }

  @Test func `a reload that must not be stored returns the new image, and keeps the stored one`() async throws {
    let (old, new) = (image, try TestImage.png(width: 10))
    let isNew = Lock(false)
    try await OptionsFixture.run { _ in
      .response(body: isNew.withLock { $0 } ? new : old, headers: ["Cache-Control": "max-age=1000"])
    } body: { fixture async throws in
      _ = try await fixture.pipeline.image(for: fixture.request { $0.waitsForStore = true })
      isNew.withLock { $0 = true }
      let refresh = fixture.request {
        ($0.cachePolicy, $0.storeAccess) = (.reload, .readOnly)
      }
      #expect(try await fixture.pipeline.image(for: refresh).size.width == 10)
      fixture.memory.removeAll()
      #expect(try await fixture.pipeline.image(for: fixture.request()).size.width == 40)
    }
  }

  @Test func `cacheOnly does not contact the server`() async throws {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let cached = fixture.request { $0.cachePolicy = .cacheOnly }
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: cached) }
      #expect(fixture.transport.requests.isEmpty)
      _ = try await fixture.pipeline.image(for: fixture.request())
      fixture.memory.removeAll()
      fixture.clock.advance(by: .seconds(6 * 86_400))
      #expect(try await fixture.origin(cached) == .store)
    }
  }

  @Test func `waitsForStore completes after all writes`() async throws {
    let (store, gate) = (MemoryDataStore(), Gate())
    let held = HeldStore(store: store, gate: gate)
    let image = image
    let pipeline = ImagePipeline {
      ($0.transport, $0.cache) = (ScriptedTransport { _ in .response(body: image) }, ImageCache(store: held))
    }
    let url = try #require(URL(string: "http://example.com/a"))
    _ = try await pipeline.image(for: url)
    #expect(store.count == 0)
    var request = ImageRequest(url: url, size: .fit(width: 10, height: 10))
    (request.options.waitsForStore, request.options.storage) = (true, .photo)
    let task = pipeline.task(for: request)
    // The write of the original, from the first request, and the write of the small image.
    try await gate.waitUntilHolding(2)
    #expect(task.result == nil)
    gate.open()
    let response = try await task.response
    #expect(store.count == 2)
    #expect(response.trace.steps.last?.kind == .storeWrite)
  }

  @Test func `an encoded response without a plan waits for the store as well`() async throws {
    let (store, gate, ends, image) = (MemoryDataStore(), Gate(), EventLog<Int>(), image)
    let pipeline = ImagePipeline {
      $0.transport = ScriptedTransport { _ in .response(body: image) };
      $0.cache = ImageCache(store: HeldStore(store: store, gate: gate))
    }
    var request = ImageRequest(url: try #require(URL(string: "http://example.com/a")))
    request.options.waitsForStore = true
    let executor = IdleExecutor()
    let load = Task(executorPreference: executor) { [request] in
      _ = try await pipeline.plannedResponse(for: request, planIdentifier: "as is") { _ in nil }
      ends.record(store.count)
    }
    try await gate.waitUntilHolding(1)
    // Another load of the same bytes ends meanwhile, as this one would if it did not wait.
    _ = try await pipeline.data(for: ImageRequest(url: try #require(URL(string: "http://example.com/a"))))
    try await executor.waitUntilIdle()
    #expect(ends.events == [])
    gate.open()
    try await load.value
    #expect(ends.events == [1])
  }

  @Test func `an entry removed while being written stays removed`() async throws {
    let (store, gate) = (MemoryDataStore(), Gate())
    let image = image
    let pipeline = ImagePipeline {
      $0.transport = ScriptedTransport { _ in .response(body: image) };
      $0.cache = ImageCache(store: HeldStore(store: store, gate: gate))
    }
    let request = ImageRequest(url: try #require(URL(string: "http://example.com/a")))
    _ = try await pipeline.image(for: request)
    try await gate.waitUntilHolding(1)
    let executor = IdleExecutor()
    let removal = Task(executorPreference: executor) { try await pipeline.removeImage(for: request) }
    // The removal is suspended until the write has ended, or has already ended without waiting for it.
    try await executor.waitUntilIdle()
    gate.open()
    try await removal.value
    await pipeline.cache.flush()
    #expect(store.count == 0)
  }

  @Test func `another cache takes the place of the pipeline's for single requests or for a new pipeline`() async throws
  {
    try await OptionsFixture.run(serving: image) { fixture async throws in
      let request = fixture.request()
      _ = try await fixture.pipeline.image(for: request)
      let other = ImageCache(memory: MemoryCache(time: fixture.clock), store: MemoryDataStore())
      let redirected = fixture.request { $0.cache = other }
      #expect(try await fixture.origin(redirected) == .network)
      #expect(try await fixture.origin(redirected) == .memory)
      var configuration = fixture.pipeline.configuration
      configuration.cache = other
      let pipeline = ImagePipeline(configuration: configuration)
      #expect(try await pipeline.response(for: request).origin == .memory)
      try await other.removeAll()
      #expect(pipeline[cached: request] == nil)
      #expect(try await fixture.origin(request) == .memory)
      #expect(fixture.transport.requests.count == 2)
    }
  }
}
