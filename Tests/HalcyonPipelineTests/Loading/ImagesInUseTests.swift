import HalcyonSupport
import HalcyonImaging
@_spi(Programs) import HalcyonCache
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest)
struct ImagesInUseTests {
  private let clock = TestClock()

  private func cache(costLimit: Int = 1000, findsImagesInUse: Bool = true) -> MemoryCache {
    MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: costLimit, findsImagesInUse: findsImagesInUse), time: clock)
  }

  private func evict(from cache: MemoryCache) throws {
    for number in 0..<20 { cache.store(try solidImage(10, 10), for: CacheKey("other \(number)")) }
  }

  @Test(arguments: [true, false])
  func `an evicted image that is still in use is found again, if enabled`(findsImagesInUse: Bool) throws {
    let cache = cache(findsImagesInUse: findsImagesInUse)
    let held = try solidImage(7, 3)
    cache.store(held, for: "held")
    try evict(from: cache)
    #expect(cache.contains("held") == findsImagesInUse)
    let found = cache.image(for: "held")
    #expect(found?.size == (findsImagesInUse ? held.size : nil))
    #expect(found.map { $0.bitmap[6, 2] == held.bitmap[6, 2] } ?? !findsImagesInUse)
    #expect(cache.statistics.hitsInUse == (findsImagesInUse ? 1 : 0))
    withExtendedLifetime(held) {}
  }

  @Test func `pixels that are in use without their image are found again`() throws {
    let cache = cache()
    cache.store(try solidImage(7, 3), for: "held")
    let pixels = try #require(cache.image(for: "held")).bitmap
    cache.trim(to: 0)
    #expect(cache.image(for: "held")?.size == pixels.size)
    withExtendedLifetime(pixels) {}
  }

  @Test func `an image found again is reinserted with its cost`() throws {
    let cache = cache()
    var held = try solidImage(10, 20)
    held.facts.freshness = SourceFreshness(end: .seconds(1), version: 0, byteCount: 500)
    cache.store(held, for: "held")
    cache.trim(to: 0)
    #expect(cache.totalCost == 0)
    #expect(cache.image(for: "held") != nil)
    #expect(cache.statistics.savedByteCount == 500)
    #expect(cache.totalCost == 800)
    #expect(cache.image(for: "held") != nil)
    #expect(cache.statistics.savedByteCount == 1000)
    #expect(cache.statistics.hitsInUse == 1)
    withExtendedLifetime(held) {}
  }

  @Test func `an evicted image that is not in use is gone`() throws {
    let cache = cache()
    var held: DecodedImage? = try solidImage()
    if let held { cache.store(held, for: "a") }
    cache.store(try solidImage(), for: "b")
    cache.trim(to: 0)
    held = nil
    #expect(cache.image(for: "a") == nil)
    #expect(!cache.contains("b"))
    #expect(held == nil)
  }

  @Test func `a removed, replaced or expired image is not found although it is in use`() throws {
    let cache = cache()
    let held = try solidImage()
    for key in ["removed", "replaced", "expired"] { cache.store(held, for: CacheKey(key)) }
    cache.trim(to: 0)
    cache.removeImage(for: "removed")
    #expect(cache.image(for: "removed") == nil)
    let newer = try solidImage(9, 9)
    cache.store(newer, for: "replaced")
    cache.trim(to: 0)
    #expect(cache.image(for: "replaced")?.size == newer.size)
    clock.advance(by: .seconds(300))
    #expect(cache.image(for: "expired") == nil)
    cache.store(held, for: "all", expiration: .never)
    cache.trim(to: 0)
    cache.removeAll()
    #expect(cache.image(for: "all") == nil)
    withExtendedLifetime((held, newer)) {}
  }

  @Test func `an evicted image in use that has expired is reported as an expired miss, once`() throws {
    let cache = cache()
    let held = try solidImage()
    cache.store(held, for: "a")
    cache.trim(to: 0)
    clock.advance(by: .seconds(300))
    #expect(cache.lookUp("a").miss == .expired)
    #expect(cache.lookUp("a").miss == .absent)
    #expect(cache.statistics.misses[.expired] == 1)
    #expect(cache.statistics.misses[.absent] == 1)
    withExtendedLifetime(held) {}
  }

  @Test func `disabling the search drops the images in use`() throws {
    let cache = cache()
    let held = try solidImage()
    cache.store(held, for: "a")
    cache.trim(to: 0)
    cache.configuration.findsImagesInUse = false
    #expect(cache.image(for: "a") == nil)
    withExtendedLifetime(held) {}
  }

  @Test func `an image that must not be stored is found while it is in use, and for ten seconds after its last use`()
    throws
  {
    let (images, memory) = (ImagesInUse(), cache())
    let watch = RemovalWatch("a", in: ImageCache(memory: memory, store: nil))
    var held: DecodedImage? = try solidImage()
    if let held { images.insert(held, for: "a", in: memory, watch) }
    clock.advance(by: .seconds(100))
    #expect(images.image(for: "a") != nil)
    images.keep("a")
    held = nil
    for _ in 0..<2 {
      clock.advance(by: .seconds(9))
      #expect(images.image(for: "a") != nil)
    }
    // The memory cache has not removed the expired image yet.
    clock.advance(by: .seconds(10))
    #expect(images.image(for: "a") == nil)
    #expect(held == nil)
  }

  @Test func `an image that must not be stored and is not kept after its use is gone`() throws {
    let (images, memory) = (ImagesInUse(), cache())
    let watch = RemovalWatch("a", in: ImageCache(memory: memory, store: nil))
    var held: DecodedImage? = try solidImage()
    if let held { images.insert(held, for: "a", in: memory, watch) }
    held = nil
    #expect(images.image(for: "a") == nil)
    images.keep("a")
    #expect(memory.totalCost == 0)
    #expect(held == nil)
  }

  @Test func `images that must not be stored and are gone leave nothing behind`() throws {
    let (images, memory, keys) = (ImagesInUse(), cache(), (0..<16).map { CacheKey("\($0)") })
    let watch = RemovalWatch("a", in: ImageCache(memory: memory, store: nil))
    for key in keys { images.insert(try solidImage(), for: key, in: memory, watch) }
    #expect(keys.allSatisfy { images.image(for: $0) == nil })
    images.remove(keys[15])
    #expect(images.isEmpty)
  }

  @Test func `pixels that are in use without their animation are not its image`() throws {
    let (images, memory, pixels) = (ImagesInUse(), cache(), try solidImage().bitmap)
    let image = DecodedImage(bitmap: pixels, animation: try NumberedFramesDecoder(frameCount: 2).image())
    images.insert(image, for: "a", in: memory, RemovalWatch("a", in: ImageCache(memory: memory, store: nil)))
    #expect(images.image(for: "a")?.animation != nil)
    images.insert(
      DecodedImage(bitmap: pixels, animation: try NumberedFramesDecoder(frameCount: 2).image()), for: "b", in: memory,
      RemovalWatch("b", in: ImageCache(memory: memory, store: nil)))
    #expect(images.image(for: "b") == nil)
    withExtendedLifetime((image, pixels)) {}
  }

  @Test func `an image that a program stores ends the use of one of its source`() throws {
    let memory = cache()
    let (images, cache, held) = (ImagesInUse(), ImageCache(memory: memory, store: nil), try solidImage())
    let key = RequestKeys(ImageRequest(source: .string("https://example.com/a"), size: .fit(width: 5))).image
    images.insert(held, for: key, in: memory, RemovalWatch(key, in: cache))
    for (source, isFound) in [("https://example.com/b", true), ("https://example.com/a", false)] {
      cache.recordStoring(ofSource: source)
      #expect((images.image(for: key) != nil) == isFound)
    }
  }

  @Test func `a removal ends the use of images that must not be stored`() throws {
    let memory = cache()
    let cache = ImageCache(memory: memory, store: nil)
    let held = try solidImage()
    for isAll in [true, false] {
      let images = ImagesInUse()
      images.insert(held, for: "a", in: memory, RemovalWatch("a", in: cache))
      images.keep("a")
      #expect(images.image(for: "a") != nil)
      if isAll { images.removeAll() } else { images.remove("a") }
      #expect(images.image(for: "a") == nil)
      #expect(memory.totalCost == 0)
      images.insert(held, for: "a", in: memory, RemovalWatch("a", in: cache))
      memory.removeAll()
      #expect(images.image(for: "a") == nil)
      images.keep("a")
      #expect(memory.totalCost == 0)
    }
  }
}
