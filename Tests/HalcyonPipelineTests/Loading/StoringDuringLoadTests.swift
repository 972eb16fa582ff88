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

/// Images that a program stores: they replace what loads in flight have, and nothing if they cannot be written.
@Suite(.unitTest)
struct StoringDuringLoadTests {
  /// A load during which a program stores an image.
  enum Load: CaseIterable {
    case first, reload, revalidate, inBackground, gone
    /// The response may not be stored.
    case unstorable
  }

  /// When the program stores it.
  enum Moment: CaseIterable {
    case beforeResponse, duringWrite
  }

  @Test(arguments: Load.allCases, Moment.allCases)
  func `an image that a program stores during a load stays in all tiers`(load: Load, moment: Moment) async throws {
    if [.gone, .unstorable].contains(load), moment == .duringWrite { return }
    let (old, new, mine) = (solid(100), solid(80), solid(60))
    let (asked, respond, writing, write, stored) = (Signal(), Signal(), Signal(), Signal(), Signal())
    let isLoaded = Lock(load == .first)
    let store = InterceptedStore { body, base async throws in
      if moment == .duringWrite, body == new {
        writing.set()
        await write.wait()
      }
      try await base()
      if body == mine { stored.set() }
    }
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: MemoryCache(), store: store) }) { _ in
      let headers: HTTPHeaders = ["Cache-Control": "max-age=0, stale-while-revalidate=1000"]
      guard isLoaded.withLock({ $0 }) else { return .response(body: old, headers: headers) }
      asked.set()
      await respond.wait()
      switch load {
      case .gone: return .response(status: 404, body: Data())
      case .unstorable: return .response(body: new, headers: ["Cache-Control": "no-store"])
      case .first, .reload, .revalidate, .inBackground: return .response(body: new, headers: headers)
      }
    }
    let (pipeline, request) = (fixture.pipeline, ImageRequest(url: fixture.url))
    if load != .first { _ = try await pipeline.image(for: request) }
    await pipeline.cache.flush()
    pipeline.cache.memory.removeAll()
    isLoaded.withLock { $0 = true }
    let loading = Task {
      var request = request
      request.cachePolicy =
        [.reload: .reload, .revalidate: .revalidate, .gone: .revalidate, .unstorable: .revalidate][load]
      return try? await pipeline.image(for: request)
    }
    await asked.wait()
    if moment == .duringWrite {
      respond.set()
      await writing.wait()
    }
    let storing = Task { try await pipeline.store(try solidImage(60, 50), original: mine, for: request) }
    await stored.wait()
    if moment == .beforeResponse { try await storing.value }
    write.set()
    respond.set()
    try await storing.value
    _ = await loading.value
    await pipeline.cache.flush()
    #expect([60, nil].contains(pipeline[cached: request]?.size.width))
    for _ in 0..<2 {
      let cached = ImageRequest(url: fixture.url) { $0.cachePolicy = .cacheOnly }
      #expect(try await pipeline.image(for: cached).size.width == 60)
      pipeline.cache.memory.removeAll()
    }
  }

  @Test(arguments: [0, 1 << 20], [false, true])
  func `a write that fails leaves everything as it was`(encodedByteLimit: Int, isTooLarge: Bool) async throws {
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(directory: folder, configuration: DiskCacheConfiguration(sizeLimit: 100 << 10))
      let fails = Lock(false)
      let throwing = InterceptedStore { _, base async throws in
        if fails.withLock({ $0 }) { throw CocoaError(.fileWriteOutOfSpace) }
        try await base()
      }
      let fixture = PipelineFixture(configure: {
        $0.cache = ImageCache(
          memory: MemoryCache(), store: isTooLarge ? disk : throwing, encodedByteLimit: encodedByteLimit)
      }) { _ in .failure(.cancelled) }
      let pipeline = fixture.pipeline
      let request = ImageRequest.cached("a")
      let small = ImageRequest.cached("a", size: .fit(width: 6, height: 6))
      try await pipeline.store(try solidImage(60, 50), original: solid(60), for: request)
      #expect(try await pipeline.image(for: small).size.width == 6)
      fails.withLock { $0 = true }
      let error = await #expect(throws: ImageError.self) {
        try await pipeline.store(original: solid(80, paddingByteCount: isTooLarge ? 200 << 10 : 0), for: request)
      }
      #expect(error?.description.hasPrefix("“a” was not loaded or stored: ") == true)
      #expect(pipeline[cached: request]?.size.width == 60 && pipeline[cached: small] != nil)
      pipeline.cache.memory.removeAll()
      let response = try await pipeline.response(for: request)
      #expect(response.image.size.width == 60 && response.origin == .store)
    }
  }
}

private func solid(_ width: UInt16, paddingByteCount: Int = 0) -> Data {
  SolidImage(width: width, height: 50, paddingByteCount: paddingByteCount).data
}
