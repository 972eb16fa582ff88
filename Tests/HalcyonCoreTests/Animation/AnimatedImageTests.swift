import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import HalcyonPipeline
import Foundation
import Testing

struct AnimatedImageTests {
  @Test func `an animated image keeps what it takes to play it, unless told otherwise`() throws {
    let book = FlipBook(frameCount: 4)
    let data = Data(repeating: 7, count: 100)
    let image = try book.image(from: data, options: DecodingOptions())
    #expect(image.animation?.data == data)
    #expect(image.animation?.animation.frameCount == 4)
    #expect(image.info.droppedContent.isEmpty)
    #expect(image.byteCount == FlipBook.frameByteCount + 100)
    let still = try book.image(from: data, options: DecodingOptions(keepsAnimation: false))
    #expect(still.animation == nil)
    #expect(still.info.droppedContent == [.frames])
    #expect(still.byteCount == FlipBook.frameByteCount)
  }

  @Test func `an image in use is found after its eviction only as a whole`() throws {
    let cache = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 120))
    let book = FlipBook(frameCount: 4)
    let data = Data(repeating: 7, count: 100)
    func key(_ text: String) -> CacheKey {
      ImagePipeline.cacheKey(for: ImageRequest(source: .string("http://example.com/\(text)")))
    }
    var first: DecodedImage? = try book.image(from: data, options: DecodingOptions())
    let bitmap = first?.bitmap
    cache.store(try #require(first), for: key("a"))
    cache.store(try book.image(from: data, options: DecodingOptions()), for: key("b"))
    #expect(cache.image(for: key("a"))?.animation === first?.animation)
    #expect(cache.image(for: key("a"))?.animation != nil)
    cache.removeAll()
    cache.store(try #require(first), for: key("a"))
    cache.store(try book.image(from: data, options: DecodingOptions()), for: key("b"))
    cache.store(try book.image(from: data, options: DecodingOptions()), for: key("c"))
    first = nil
    // Its pixels are still held, its animation is not.
    withExtendedLifetime(bitmap) { #expect(cache.image(for: key("a")) == nil) }
  }
}
