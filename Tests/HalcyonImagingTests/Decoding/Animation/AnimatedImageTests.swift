import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct AnimatedImageTests {
  @Test func `an animated image keeps its data for playback, unless disabled`() throws {
    let decoder = NumberedFramesDecoder(frameCount: 4)
    let data = Data(repeating: 7, count: 100)
    let image = try decoder.image(from: data, options: DecodingOptions())
    #expect(image.animation?.data == data)
    #expect(image.animation?.frameCount == 4)
    #expect(image.info.droppedContent.isEmpty)
    #expect(image.byteCount == NumberedFramesDecoder.frameByteCount + 100)
    let still = try decoder.image(from: data, options: DecodingOptions(keepsAnimation: false))
    #expect(still.animation == nil)
    #expect(still.info.droppedContent == [.frames])
    #expect(still.byteCount == NumberedFramesDecoder.frameByteCount)
    #expect(image.still.animation == nil)
    #expect(image.still.info.droppedContent == [.frames])
    let inverted = try image.applying([.invert], keepsAnimation: false)
    #expect(inverted.info.droppedContent == [.frames])
  }

  @Test func `processors are applied after those before them`() async throws {
    let image = try NumberedFramesDecoder(frameCount: 2, size: PixelSize(width: 3, height: 2)).image()
    let wide = image.processed(by: [BuiltInProcessor.padding(right: 4)])
    let turned = wide.processed(by: [BuiltInProcessor.rotate(degrees: 90)])
    #expect([image, wide, turned].map(\.isProcessed) == [false, true, true])
    let sizes = try await [wide.frame(at: 1).bitmap.size, turned.frame(at: 1).bitmap.size]
    #expect(sizes == [PixelSize(width: 7, height: 2), PixelSize(width: 2, height: 7)])
  }

  @Test func `every iteration reads each frame once and in order`() async throws {
    let decoder = NumberedFramesDecoder(frameCount: 50)
    let image = try decoder.image()
    for round in 1...2 {
      var numbers: [Int] = []
      for try await frame in image.frames { numbers.append(frame.number) }
      #expect(numbers == Array(0..<50))
      #expect(decoder.decoded.count == 50 * round)
    }
  }

  @Test func `reading one frame after another opens the file once`() async throws {
    let decoder = NumberedFramesDecoder(frameCount: 50)
    let image = try decoder.image()
    for index in 0..<50 {
      let number = try await image.frame(at: index).number
      #expect(number == index)
    }
    // Opened once to probe the animation, and once to read it.
    #expect(decoder.openCount == 2)
    #expect(decoder.decoded == Array(0..<50))
  }

  @Test func `frames before a damaged one are read, then iteration throws`() async throws {
    var numbers: [Int] = []
    await #expect(throws: ImageDecodingError.corrupt(.gif, reason: "frame 3 is damaged")) {
      for try await frame in try NumberedFramesDecoder(frameCount: 9, damagedIndex: 3).image().frames {
        numbers.append(frame.number)
      }
    }
    #expect(numbers == [0, 1, 2])
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
    // The pixels of "a" are still in use, its animation is not.
    withExtendedLifetime(bitmap) { #expect(cache.image(for: key("a")) == nil) }
  }
}
