import HalcyonSupport
import HalcyonCodecs
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// How much of an animated image is loaded, and how its frames are processed.
@Suite(.integrationTest)
struct AnimationOptionsTests {
  private let file = TinyGIF.animation(reds: [10, 20, 30, 40])

  private static func reds(_ animation: AnimatedImage) async throws -> [UInt8] {
    var reds: [UInt8] = []
    for try await frame in animation.frames { reds.append(frame.bitmap[0, 0].red) }
    return reds
  }

  @Test
  func `preloaded frames are cached as long as the image is referenced`() async throws {
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let request = fixture.request { $0.animation = .frames(preloaded: true) }
      for _ in 0..<2 {
        let image = try await fixture.pipeline.image(for: request)
        let frames = try #require(image.animation?.decodedFrames)
        #expect((0..<4).map { frames.cachedFrame(at: $0)?.bitmap[0, 0].red } == [10, 20, 30, 40])
        withExtendedLifetime(image) {}
      }
      // The memory cache keeps no preloaded frames, as its cost does not include them. The preloading task may still be
      // finishing.
      var byteCount: Int?
      repeat {
        let kept = try await fixture.pipeline.image(for: fixture.request())
        byteCount = kept.animation?.decodedFrames.byteCount
      } while byteCount != 0
    }
  }

  @Test func `preloading stays within the byte limit`() async throws {
    let whole = try GIFDecoder().image(from: file, options: DecodingOptions())
    let frames = try #require(whole.animation).makeFrames(byteLimit: 8)
    try await frames.preload()
    #expect((0..<4).map { frames.cachedFrame(at: $0) != nil } == [true, true, false, false])
  }

  @Test func `frames are processed on demand, and skipped frames are not processed`() async throws {
    let runs = Lock<[UInt8]>([])
    let whole = try GIFDecoder().image(from: file, options: DecodingOptions())
    let animation = try #require(whole.animation).processed(
      by: [
        .custom(identifier: "count") { bitmap in
          runs.withLock { $0.append(bitmap[0, 0].red) }
          return bitmap
        }
      ])
    let frames = animation.makeFrames(byteLimit: 4)
    #expect(runs.withLock { $0 }.isEmpty)
    #expect(try await frames.frame(at: 3).bitmap[0, 0].red == 40)
    #expect(try await frames.frame(at: 1).bitmap[0, 0].red == 20)
    #expect(runs.withLock { $0 } == [40, 20])
    #expect(frames.byteCount == 4)
  }

  @Test func `a frame that fails to process throws an error with the processor, and other frames are shown`()
    async throws
  {
    struct Failure: Error {}
    try await OptionsFixture.run(serving: file) { fixture async throws in
      var request = fixture.request { $0.animation = .frames(processed: true) }
      request.processors = [
        .custom(identifier: "third") { bitmap in
          if bitmap[0, 0].red == 30 { throw Failure() }
          return bitmap
        }
      ]
      let frames = try #require(try await fixture.pipeline.image(for: request).animation)
      #expect(try await frames.frame(at: 1).bitmap[0, 0].red == 20)
      let error = await #expect(throws: ImageProcessingError.self) { try await frames.frame(at: 2) }
      #expect(error?.description.contains("third") == true)
    }
  }
}
