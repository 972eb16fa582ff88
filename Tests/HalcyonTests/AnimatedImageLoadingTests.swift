import HalcyonCodecs
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct AnimatedImageLoadingTests {
  @Test func `the first frame of an animation in memory is a still image`() async throws {
    try await OptionsFixture.run(serving: try TestImage.gif(reds: [10, 200])) { fixture async throws in
      #expect(try await fixture.pipeline.image(for: fixture.request()).animation != nil)
      let still = fixture.request { $0.animation = .firstFrame }
      let response = try await fixture.pipeline.response(for: still)
      #expect(response.origin == .memory && response.image.animation == nil)
      #expect(fixture.pipeline[cached: still].map { $0.animation == nil } == true)
      #expect(fixture.pipeline[cached: fixture.request()]?.animation != nil)
    }
  }

  @Test func `the first frame of an animation has the scale of its request, from each cache`() async throws {
    try await OptionsFixture.run(serving: try TestImage.gif(reds: [10, 200])) { fixture async throws in
      _ = try await fixture.pipeline.image(for: fixture.request())
      await fixture.pipeline.cache.flush()
      let still = fixture.request {
        $0.animation = .firstFrame
        $0.scale = 3
      }
      for origin in [ImageOrigin.memory, .store] {
        let response = try await fixture.pipeline.response(for: still)
        #expect(response.origin == origin && response.image.scale == 3 && response.image.animation == nil)
        fixture.memory.removeAll()
      }
    }
  }

  @Test func `an animated image is read from disk unchanged`() async throws {
    let file = TinyGIF.animation(reds: [10, 20, 30])
    try await withOrigin { _, folder in
      let url = try #require(URL(string: "http://example.com/cat.gif"))
      let transport = ScriptedTransport { _ in .response(body: file) }
      for round in 0..<2 {
        let cache = ImageCache(in: folder)
        let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, cache) }
        let response = try await pipeline.response(for: ImageRequest(url: url))
        #expect(response.origin == (round == 0 ? .network : .store))
        #expect(response.image.info.frameCount == 3)
        #expect(response.image.animation?.frameCount == 3)
        let animation = try #require(response.image.animation)
        #expect(animation.data == file)
        #expect(try await Self.reds(animation) == [10, 20, 30])
        await cache.flush()
      }
      #expect(transport.requests.count == 1)
    }
  }

  @Test func `processing an animated image yields a still image whose info reports the dropped frames`() async throws {
    let file = TinyGIF.animation(reds: [10, 20])
    let transport = ScriptedTransport { _ in .response(body: file) }
    let pipeline = ImagePipeline { ($0.transport, $0.cache) = (transport, ImageCache(disk: nil)) }
    var request = ImageRequest(url: try #require(URL(string: "http://example.com/cat.gif")))
    request.processors = [Same()]
    let image = try await pipeline.image(for: request)
    #expect(image.animation == nil)
    #expect(image.info.droppedContent == [.frames])
  }

  @Test func `a GIF of a thousand frames takes no more memory than its frame cache`() async throws {
    let reds = (0..<1000).map { UInt8($0 % 251) }
    let decoder = GIFDecoder()
    let image = try decoder.image(from: TinyGIF.animation(reds: reds), options: DecodingOptions())
    let frames = try #require(image.animation).makeFrames(byteLimit: 40)
    for (index, red) in reds.enumerated() {
      let shown = try await frames.frame(at: index).bitmap[0, 0].red
      #expect(shown == red)
      #expect(frames.byteCount <= 40)
    }
  }

  private struct Same: ImageProcessor {
    var identifier: String { "same" }
    func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
  }

  private static func reds(_ animation: AnimatedImage) async throws -> [UInt8] {
    var reds: [UInt8] = []
    for try await frame in animation.frames { reds.append(frame.bitmap[0, 0].red) }
    return reds
  }
}
