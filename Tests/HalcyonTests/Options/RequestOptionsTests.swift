import Foundation
import Halcyon
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// How unset options are filled in. Serialized, because the global options are shared.
@Suite(.integrationTest, .serialized)
struct RequestOptionsTests {
  /// Options with every value set.
  private var complete: RequestOptions {
    var options = RequestOptions()
    (options.priority, options.timeout, options.previews) = (.high, .seconds(1), .never)
    (options.cachePolicy, options.memoryAccess, options.storeAccess) = (.revalidate, .disabled, .readOnly)
    (options.usesETags, options.waitsForStore) = (false, true)
    (options.cache, options.storage) = (ImageCache(disk: nil), .photo)
    (options.memoryExpiration, options.storeExpiration) = (.never, .never)
    (options.tags, options.isPinned, options.scale) = (["a"], true, 2)
    (options.colorSpace, options.dynamicRange) = (.source, .high)
    (options.allowsPartialImage, options.allowsErrorImage, options.animation) = (true, true, .firstFrame)
    (options.imageModifier, options.userInfo, options.keepsEncodedData) = ({ $0 }, ["a": 1], true)
    (options.retryStrategy, options.requestModifier) = (.never, NoModification())
    (options.redirectHandler, options.responseValidator, options.dataTransform) = (
      { $1 }, { _ in }, { data, _ in data }
    )
    (options.decoder, options.originalPixelLimit) = (StandardCodecs.decoders[0], 100)
    return options
  }

  private func unset(_ options: RequestOptions) -> [String] {
    Mirror(reflecting: options).children.filter { Mirror(reflecting: $0.value).children.isEmpty }.compactMap(\.label)
  }

  @Test func `every unset option is filled in, and every set option is kept`() {
    #expect(unset(complete).isEmpty)
    #expect(unset(RequestOptions().over(complete)).isEmpty)
    #expect(unset(complete.over(RequestOptions())).isEmpty)
    #expect(unset(RequestOptions().over(RequestOptions())).count == 30)
    var other = RequestOptions()
    (other.priority, other.tags, other.isPinned) = (.low, [], false)
    let merged = other.over(complete)
    #expect(merged.priority == .low && merged.tags == [] && merged.isPinned == false)
  }

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

private struct NoModification: RequestModifier {
  var identity: String? { nil }

  func modify(_ request: TransportRequest) async throws -> TransportRequest { request }
}
