import Foundation
import Halcyon
import HalcyonCache
import HalcyonPipeline
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// `storage` and `keepsOriginal` of requests that deliver no image: prefetches to the store, and loads of encoded bytes.
@Suite(.integrationTest)
struct StoragePathTests {
  private let small = TargetSize.fit(width: 20, height: 20)

  private func prefetch(_ request: ImageRequest, _ fixture: OptionsFixture) async -> PrefetchResult {
    await ImagePrefetcher(pipeline: fixture.pipeline, destination: .store).start([request]).result
  }

  @Test(arguments: [true, false])
  func `an image prefetched to the store is stored as its storage policy says, and found without a transfer`(
    keepsOriginal: Bool
  ) async throws {
    try await OptionsFixture.run(serving: try TestImage.png()) { fixture async throws in
      let request = fixture.request(size: small) { $0.storage = .encoded(as: .jpeg, keepsOriginal: keepsOriginal) }
      #expect(await prefetch(request, fixture).completed.count == 1)
      #expect(try await fixture.storedFormats == (keepsOriginal ? [.jpeg, .png] : [.jpeg]))
      #expect(fixture.memory.count == 0)
      #expect(await prefetch(request, fixture).skipped.count == 1)
      let response = try await fixture.pipeline.response(for: request)
      #expect(response.origin == .store)
      #expect(response.image.info.format == .jpeg)
      #expect(response.image.size == PixelSize(width: 20, height: 10))
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test func `sizes and processors are prefetched separately, from one transfer`() async throws {
    try await OptionsFixture.run(serving: try TestImage.png()) { fixture async throws in
      var inverted = fixture.request(size: small) { $0.storage = .sticker }
      inverted.processors = [.invert]
      let requests = [fixture.request(size: small) { $0.storage = .sticker }, inverted]
      let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .store, concurrencyLimit: 1)
      let result = await prefetcher.start(requests + requests).result
      #expect(result.completed.count == 2)
      #expect(fixture.transport.requests.count == 1)
      await fixture.pipeline.cache.flush()
      #expect(try await fixture.disk.count == 3)
      for (request, red) in zip(requests, [UInt8(200), 55]) {
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.origin == .store)
        #expect(response.image.bitmap[0, 0].red == red)
      }
    }
  }

  @Test func `an unchanged image and an animation are prefetched as their original bytes`() async throws {
    let cases: [(Data, StoragePolicy, ImageFormat)] = [
      (try TestImage.png(), .encoded(keepsOriginal: false), .png),
      (TinyGIF.animation(reds: [1, 2]), .encoded(as: .jpeg, keepsOriginal: false), .gif),
    ]
    for (file, policy, format) in cases {
      try await OptionsFixture.run(serving: file) { fixture async throws in
        let request = fixture.request { $0.storage = policy }
        #expect(await prefetch(request, fixture).completed.count == 1)
        #expect(try await fixture.storedFormats == [format])
        #expect(await prefetch(request, fixture).skipped.count == 1)
        #expect(try await fixture.origin(request) == .store)
        #expect(fixture.transport.requests.count == 1)
      }
    }
  }

  @Test func `an image that cannot be encoded or stored fails its prefetch with the cause`() async throws {
    try await OptionsFixture.run(serving: try TestImage.png()) { fixture async throws in
      let request = fixture.request(size: small) { $0.storage = .encoded(as: .bmp) }
      guard case .failed(is ImageEncodingError, _)? = await prefetch(request, fixture).failed.first?.error else {
        Issue.record("a missing encoder")
        return
      }
    }
    let files = FailingFileSystem()
    files.fail(all: [.write, .makeFolder, .open], with: .error(ENOSPC))
    try await OptionsFixture.run(serving: try TestImage.png(), fileSystem: files) { fixture async throws in
      for policy in [StoragePolicy.photo, .automatic] {
        let request = fixture.request(size: policy == .photo ? small : .original) { $0.storage = policy }
        guard case .failed(is DiskCacheError, _)? = await prefetch(request, fixture).failed.first?.error else {
          Issue.record("a full disk, \(policy)")
          return
        }
      }
    }
  }

  @Test func `an encoded image in the store does not stand in for the original bytes`() async throws {
    let file = try TestImage.png()
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let request = fixture.request(size: small) { $0.storage = .encoded(as: .jpeg, keepsOriginal: false) }
      _ = try await fixture.origin(request)
      #expect(try await fixture.storedFormats == [.jpeg])
      // A new pipeline has no load in flight.
      let pipeline = ImagePipeline(configuration: fixture.pipeline.configuration)
      #expect(try await pipeline.data(for: request) == file)
      #expect(fixture.transport.requests.count == 2)
    }
  }
}
