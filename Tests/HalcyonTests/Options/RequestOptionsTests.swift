import Foundation
import Halcyon
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// How unset options are filled in. Serialized, because the global options are shared.
@Suite(.integrationTest, .serialized)
struct RequestOptionsTests {
  /// In a process of its own, since other tests create pipelines at the same time.
  @Test func `request options override pipeline options, which override global options`() async {
    await #expect(processExitsWith: .success) {
      RequestOptions.global.tags = ["global"]
      RequestOptions.global.scale = 4
      var options = RequestOptions()
      (options.scale, options.priority) = (3, .high)
      try await OptionsFixture.run(serving: TestImage.png(), options: options) { fixture async throws in
        #expect(try await fixture.pipeline.image(for: fixture.request { $0.scale = 2 }).scale == 2)
        #expect(try await fixture.pipeline.image(for: fixture.request { $0.waitsForStore = true }).scale == 3)
        await fixture.pipeline.cache.flush()
        #expect(try await fixture.disk.removeEntries(taggedWith: "global") == 1)
        #expect(fixture.pipeline.task(for: fixture.request()).priority == .high)
        #expect(fixture.pipeline.task(for: ImageRequest(url: fixture.url) { $0.priority = .low }).priority == .low)
      }
    }
  }
}
