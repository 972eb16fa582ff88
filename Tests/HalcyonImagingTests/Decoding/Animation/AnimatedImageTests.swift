import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import HalcyonPipeline
import Foundation
import TestDoubles
import TestTraits
import Testing

@Suite(.unitTest)
struct AnimatedImageTests {
  @Test func `an animated image keeps its data for playback, unless disabled`() throws {
    let decoder = NumberedFramesDecoder(frameCount: 4)
    let data = Data(repeating: 7, count: 100)
    let image = try decoder.image(from: data, options: DecodingOptions())
    #expect(image.animation?.data == data)
    #expect(image.animation?.animation.frameCount == 4)
    #expect(image.info.droppedContent.isEmpty)
    #expect(image.byteCount == NumberedFramesDecoder.frameByteCount + 100)
    let still = try decoder.image(from: data, options: DecodingOptions(keepsAnimation: false))
    #expect(still.animation == nil)
    #expect(still.info.droppedContent == [.frames])
    #expect(still.byteCount == NumberedFramesDecoder.frameByteCount)
  }

  @Test func `an evicted animated image in use is found only with its animation`() throws {
    let cache = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 120))
    let decoder = NumberedFramesDecoder(frameCount: 4)
    let data = Data(repeating: 7, count: 100)
    func key(_ text: String) -> CacheKey {
      ImagePipeline.cacheKey(for: ImageRequest(source: .string("http://example.com/\(text)")))
    }
    var first: DecodedImage? = try decoder.image(from: data, options: DecodingOptions())
    let bitmap = first?.bitmap
    cache.store(try #require(first), for: key("a"))
    cache.store(try decoder.image(from: data, options: DecodingOptions()), for: key("b"))
    #expect(cache.image(for: key("a"))?.animation === first?.animation)
    #expect(cache.image(for: key("a"))?.animation != nil)
    cache.removeAll()
    cache.store(try #require(first), for: key("a"))
    cache.store(try decoder.image(from: data, options: DecodingOptions()), for: key("b"))
    cache.store(try decoder.image(from: data, options: DecodingOptions()), for: key("c"))
    first = nil
    // Its pixels are still in use, its animation is not.
    withExtendedLifetime(bitmap) { #expect(cache.image(for: key("a")) == nil) }
  }
}
