import HalcyonSupport
import Foundation
import Halcyon
import HalcyonCache
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Cache policies that select the tiers read and written, with a real disk cache.
@Suite(.integrationTest)
struct CacheOptionsTests {
  private let image: Data

  init() throws { image = try TestImage.png() }

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

  @Test func `an encoded response without a plan waits for the store as well`() async throws {
    let (store, gate, ends, image) = (MemoryDataStore(), Gate(), EventLog<Int>(), image)
    let pipeline = ImagePipeline {
      $0.transport = ScriptedTransport { _ in .response(body: image) };
      $0.cache = ImageCache(store: HeldStore(base: store, gate: gate))
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
      $0.cache = ImageCache(store: HeldStore(base: store, gate: gate))
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
}
