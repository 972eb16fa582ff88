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
  @Test
  func `the first frame of an animation is still and has the scale of its request, from each cache`() async throws {
    try await OptionsFixture.run(serving: try TestImage.gif(reds: [10, 200])) { fixture async throws in
      #expect(try await fixture.pipeline.image(for: fixture.request()).animation != nil)
      await fixture.pipeline.cache.flush()
      let still = fixture.request {
        $0.animation = .firstFrame
        $0.scale = 3
      }
      for origin in [ImageOrigin.memory, .store] {
        let response = try await fixture.pipeline.response(for: still)
        #expect(response.origin == origin)
        #expect(response.image.scale == 3)
        #expect(response.image.animation == nil)
        if origin == .memory {
          #expect(fixture.pipeline[cached: still].map { $0.animation == nil } == true)
          #expect(fixture.pipeline[cached: fixture.request()]?.animation != nil)
        }
        fixture.memory.removeAll()
      }
    }
  }
}
