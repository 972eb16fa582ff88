import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// An image in memory is the start of the processors that follow it.
@Suite(.unitTest)
struct IntermediateImageTests {
  private let clock = TestClock()

  /// A pipeline without a store.
  private func fixture(headers: HTTPHeaders = HTTPHeaders()) -> PipelineFixture {
    PipelineFixture { [clock] configuration in
      configuration.cache = ImageCache(memory: configuration.cache.memory, store: nil)
      configuration.time = clock
    } script: { _ in
      .response(body: SolidImage(width: 10, height: 10).data, headers: headers)
    }
  }

  @Test func `a further processor continues from the image in memory, without a transfer`() async throws {
    let fixture = fixture()
    _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url, processors: [.invert]))
    let request = ImageRequest(url: fixture.url, processors: [.invert, .grayscale])
    let response = try await fixture.pipeline.response(for: request)
    #expect(response.origin == .memory)
    #expect(response.encodedByteCount == nil)
    #expect(fixture.transport.requests.count == 1)
    #expect(fixture.decoder.decodedSizes.count == 1)
    #expect(fixture.pipeline[cached: request] != nil)
  }

  @Test func `processors apply to the image that the program stored, not to the one of the server`() async throws {
    let fixture = fixture()
    let bitmap = try Bitmap(size: PixelSize(width: 2, height: 2), isOpaque: true) { pixels in
      for index in pixels.indices { pixels[index] = index % 4 == 3 ? 255 : 200 }
    }
    let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .bmp, storedSize: bitmap.size))
    try await fixture.pipeline.store(image, for: ImageRequest(url: fixture.url) { $0.storeAccess = .disabled })
    let inverted = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url, processors: [.invert]))
    #expect(inverted.bitmap[0, 0].red == 55)
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `cacheOnly applies a processor to the image in memory`() async throws {
    let fixture = fixture()
    _ = try await fixture.pipeline.image(for: fixture.url)
    let request = ImageRequest(url: fixture.url, processors: [.invert]) { $0.cachePolicy = .cacheOnly }
    #expect(try await fixture.pipeline.image(for: request).bitmap[0, 0].red == 245)
  }

  @Test func `a stale image is not the start of a processor, nor is any for a reload`() async throws {
    let fixture = fixture(headers: ["Cache-Control": "max-age=60"])
    _ = try await fixture.pipeline.image(for: fixture.url)
    var request = ImageRequest(url: fixture.url, processors: [.invert]) { $0.cachePolicy = .reload }
    #expect(try await fixture.pipeline.response(for: request).origin == .network)
    clock.advance(by: .seconds(61))
    request = ImageRequest(url: fixture.url, processors: [.grayscale])
    #expect(try await fixture.pipeline.response(for: request).origin == .network)
  }

  @Test func `an image whose storage policy needs the metadata of its bytes reads them`() async throws {
    let store = MemoryDataStore()
    let fixture = PipelineFixture { configuration in
      configuration.cache = ImageCache(memory: configuration.cache.memory, store: store)
    } script: { _ in
      .response(body: SolidImage(width: 10, height: 10).data)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    var request = ImageRequest(url: fixture.url, processors: [.invert])
    request.options.storage = .sticker
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
  }
}
