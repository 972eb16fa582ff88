import Foundation
import Halcyon
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Formats in which images are stored on disk, and read from it.
@Suite(.integrationTest)
struct StorageOptionsTests {
  private let small = TargetSize.fit(width: 20, height: 20)

  @Test func `an image stored without its data is found by its request where it can stand in for the original`()
    async throws
  {
    let (holed, solid) = (try TestImage.png(hasHole: true), try TestImage.png())
    let cases: [(Data, TargetSize, StoragePolicy, [ImageFormat?])] = [
      (holed, .original, .original, [.png]), (solid, .original, .original, [.jpeg]),
      (TinyGIF.animation(reds: [1, 2]), .original, .original, [.gif]),
      (solid, small, .sticker, [.png]), (solid, small, .original, []),
    ]
    for (file, size, policy, formats) in cases {
      try await OptionsFixture.run(serving: file) { fixture async throws in
        let image = try await fixture.pipeline.image(for: ImageRequest(source: .data(file), size: size))
        let request = fixture.request(size: size) { $0.storage = policy }
        try await fixture.pipeline.store(image, for: request)
        #expect(try await fixture.storedFormats == formats)
        #expect(try await fixture.origin(request) == .memory)
        fixture.memory.removeAll()
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.origin == (formats.isEmpty ? .network : .store))
        #expect(response.image.size == image.size)
        #expect(response.image.animation?.data == image.animation?.data)
      }
    }
  }

  @Test(arguments: [StoragePolicy.original, .automatic, .sticker, .photo])
  func `an image of the original size stored without its data is found at any size, with its custom bytes`(
    policy: StoragePolicy
  ) async throws {
    let (file, mine) = (try TestImage.png(), Data("caption".utf8))
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let image = try await fixture.pipeline.image(for: ImageRequest(source: .data(file)))
      let request = fixture.request { $0.storage = policy }
      try await fixture.pipeline.store(image, for: request, userInfo: mine)
      for request in [request, fixture.request(), fixture.request(size: small) { $0.storage = policy }] {
        fixture.memory.removeAll()
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.origin == .store)
        #expect(response.image.size.width == (request.size == small ? 20 : 40))
        #expect(try await fixture.pipeline.storedMetadata(for: request)?.userInfo == mine)
      }
      #expect(fixture.transport.requests.isEmpty)
    }
  }

  @Test func `the custom bytes of a processed image stored without its data are returned for its request`() async throws
  {
    let (file, mine) = (try TestImage.png(), Data("caption".utf8))
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let image = try await fixture.pipeline.image(for: ImageRequest(source: .data(file), size: small))
      let request = fixture.request(size: small) { $0.storage = .sticker }
      try await fixture.pipeline.store(image, for: request, userInfo: mine)
      #expect(try await fixture.pipeline.storedMetadata(for: request)?.userInfo == mine)
      #expect(try await fixture.pipeline.storedMetadata(for: fixture.request(size: small)) == nil)
      fixture.memory.removeAll()
      #expect(await fixture.pipeline.cachedTier(for: request) == .store)
      #expect(await fixture.pipeline.cachedTier(for: fixture.request(size: small)) == nil)
    }
  }

  @Test(arguments: [true, false])
  func `an animation stored for a request with processors stays an animation`(processesFrames: Bool) async throws {
    let file = TinyGIF.animation(reds: [1, 2])
    try await OptionsFixture.run(serving: file) { fixture async throws in
      var source = ImageRequest(source: .data(file), processors: [.invert])
      source.animation = .frames(processed: processesFrames)
      if !processesFrames { source.processors = [] }
      let image = try await fixture.pipeline.image(for: source)
      #expect(image.animation != nil)
      var request = fixture.request { ($0.storage, $0.animation) = (.photo, .frames(processed: true)) }
      request.processors = [.invert]
      try await fixture.pipeline.store(image, for: request)
      #expect(try await fixture.storedFormats == [.gif])
      fixture.memory.removeAll()
      let stored = try await fixture.pipeline.response(for: request)
      #expect(stored.origin == .store)
      #expect(stored.image.bitmap[0, 0] == image.bitmap[0, 0])
      let frame = try #require(try await stored.image.animation?.frame(at: 0))
      let expected = try #require(try await image.animation?.frame(at: 0))
      #expect(frame.bitmap[0, 0] == expected.bitmap[0, 0])
    }
  }

  @Test func `a small image of a stored original has a separate entry, and the original is unchanged`() async throws {
    let file = try TestImage.png()
    try await OptionsFixture.run(serving: file) { fixture async throws in
      _ = try await fixture.pipeline.image(for: fixture.request { $0.waitsForStore = true })
      let request = fixture.request(size: small) { ($0.storage, $0.waitsForStore) = (.photo, true) }
      #expect(try await fixture.pipeline.response(for: request).origin == .store)
      #expect(fixture.disk.statistics.stores == 2)
      #expect(try await fixture.pipeline.data(for: fixture.request { $0.cachePolicy = .cacheOnly }) == file)
    }
  }

  @Test func `a small image is read from disk, is not stored again, and goes stale with its source`() async throws {
    let file = try TestImage.png()
    try await OptionsFixture.run(serving: file, headers: ["Cache-Control": "max-age=60"]) { fixture async throws in
      let request = fixture.request(size: small) { $0.storage = .encoded(as: .jpeg, keepsOriginal: false) }
      let first = try await fixture.pipeline.response(for: request)
      #expect(first.image.info.format == .png)
      await fixture.pipeline.cache.flush()
      let writeCount = fixture.disk.statistics.stores
      fixture.memory.removeAll()
      let stored = try await fixture.pipeline.response(for: request)
      #expect(stored.origin == .store)
      #expect(stored.image.info.format == .jpeg)
      #expect(stored.image.size == first.image.size)
      #expect(stored.trace.steps.map(\.kind) == [.storeRead, .decode])
      await fixture.pipeline.cache.flush()
      #expect(fixture.disk.statistics.stores == writeCount)
      #expect(try await fixture.origin(request) == .memory)
      fixture.clock.advance(by: .seconds(61))
      #expect(try await fixture.origin(request) == .network)
      fixture.memory.removeAll()
      #expect(try await fixture.origin(request) == .store)
    }
  }

  @Test func `a reload does not use the small image that was stored of the old original`() async throws {
    let (old, new) = (try TestImage.png(), try TestImage.png(hasHole: true))
    for (policy, storesOriginal) in [
      (CachePolicy.revalidate, true), (.reload, true), (.revalidate, false),
    ] {
      let isChanged = Lock(false)
      try await OptionsFixture.run { _ in
        .response(
          body: isChanged.withLock { $0 } ? new : old, headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""])
      } body: { fixture in
        var request = fixture.request(size: small) {
          $0.storage = .encoded(as: .png, quality: 1, keepsOriginal: storesOriginal)
        }
        _ = try await fixture.origin(request)
        await fixture.pipeline.cache.flush()
        isChanged.withLock { $0 = true }
        request.cachePolicy = policy
        #expect(try await fixture.pipeline.image(for: request).bitmap[0, 0].alpha == 0, "\(policy)")
      }
    }
  }

  @Test func `transparent pixels stay transparent or become white, never black`() async throws {
    let file = try TestImage.png(hasHole: true)
    for (policy, hole) in [(StoragePolicy.automatic, (0, 0)), (.sticker, (0, 0)), (.photo, (255, 255))] {
      try await OptionsFixture.run(serving: file) { fixture async throws in
        let request = fixture.request(size: small) { ($0.storage, $0.waitsForStore) = (policy, true) }
        #expect(try await fixture.pipeline.image(for: request).bitmap[0, 0].alpha == 0)
        fixture.memory.removeAll()
        let stored = try await fixture.pipeline.image(for: request)
        let (red, green, _, alpha) = stored.bitmap[0, 0]
        #expect(alpha == hole.1)
        #expect(abs(Int(red) - hole.0) < 6, "\(policy)")
        #expect(abs(Int(green) - hole.0) < 6, "\(policy)")
        #expect(abs(Int(stored.bitmap[15, 5].red) - 200) < 8)
      }
    }
  }

  @Test func `storage policies and processors have separate entries, which are removed together`() async throws {
    let file = try Photos.data("rocket.jpg")
    try await OptionsFixture.run(serving: file) { fixture async throws in
      var inverted = fixture.request(size: small) { $0.storage = .photo }
      inverted.processors = [.invert]
      for request in [inverted, fixture.request(size: small) { $0.storage = .photo }] {
        for policy in [StoragePolicy.photo, .sticker, .encoded(as: .jpeg, byteLimit: 5000)] {
          var request = request
          request.options.storage = policy
          _ = try await fixture.pipeline.image(for: request)
          fixture.memory.removeAll()
          await fixture.pipeline.cache.flush()
        }
      }
      #expect(try await fixture.disk.count == 7)
      try await fixture.pipeline.removeImage(for: inverted)
      #expect(try await fixture.disk.count == 0)
    }
  }

  @Test func `a file stays within its byte limit, or is not stored`() async throws {
    let file = try Photos.data("rocket.jpg")
    for (limit, isStored) in [(1500, true), (100, false)] {
      try await OptionsFixture.run(serving: file) { fixture async throws in
        let request = fixture.request(size: .fit(width: 200, height: 200)) { options in
          options.storage = .encoded(as: .jpeg, byteLimit: limit, keepsOriginal: false)
        }
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.cache.flush()
        var sizes: [Int] = []
        for try await entry in fixture.disk.entries { sizes.append(entry.bodyByteCount) }
        #expect(sizes.count == (isStored ? 1 : 0))
        #expect(sizes.allSatisfy { $0 <= limit && $0 > limit / 2 })
      }
    }
  }

  @Test func `a full or failing disk does not fail the load`() async throws {
    let file = try TestImage.png()
    for code in [ENOSPC, EIO, EROFS] {
      let files = FailingFileSystem()
      files.fail(all: [.write, .makeFolder, .open], with: .error(code))
      try await OptionsFixture.run(serving: file, fileSystem: files) { fixture async throws in
        for policy in [StoragePolicy.original, .photo] {
          let request = fixture.request(size: small) { ($0.storage, $0.waitsForStore) = (policy, true) }
          #expect(try await fixture.pipeline.image(for: request).size.width == 20)
        }
        #expect(files.hasFailed)
      }
    }
  }
}
