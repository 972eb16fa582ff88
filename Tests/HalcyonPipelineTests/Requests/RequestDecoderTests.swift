import HalcyonSupport
import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Requests with a decoder of their own.
@Suite(.unitTest)
struct RequestDecoderTests {
  /// Decodes solid images in another colour.
  private struct Tinted: ImageDecoder {
    var red: UInt8
    var formats: Set<ImageFormat> { [.bmp] }

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      try SolidDecoder().probe(bytes, isComplete: isComplete)
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      var bytes = bytes
      bytes[10] &+= red
      return try SolidDecoder().decode(bytes, options: options)
    }
  }

  private struct Failing: ImageDecoder {
    let formats: Set<ImageFormat> = [.bmp]

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      try SolidDecoder().probe(bytes, isComplete: isComplete)
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      throw ImageDecodingError.truncated(.bmp)
    }
  }

  private func request(_ fixture: PipelineFixture, _ decoder: any ImageDecoder) -> ImageRequest {
    var request = ImageRequest(url: fixture.url)
    request.options.decoder = decoder
    return request
  }

  @Test func `requests whose decoders have the same identifier share decoded images`() async throws {
    let fixture = PipelineFixture.serving()
    _ = try await fixture.pipeline.image(for: request(fixture, Tinted(red: 77)))
    let response = try await fixture.pipeline.response(for: request(fixture, Tinted(red: 77)))
    #expect(response.origin == .memory)
    #expect(Tinted(red: 77).identifier != Tinted(red: 78).identifier)
  }

  @Test func `a request's decoder reads formats that those of the pipeline do not`() async throws {
    let fixture = PipelineFixture(configure: { $0.decoders = [] }) { _ in
      .response(body: SolidImage(width: 10, height: 10).data)
    }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(try await fixture.pipeline.image(for: request(fixture, SolidDecoder())).size.width == 10)
  }

  @Test func `bytes that one decoder rejects are not a remembered failure for others`() async throws {
    let fixture = PipelineFixture.serving()
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request(fixture, Failing())) }
    #expect(try await fixture.pipeline.image(for: fixture.url).size.width == 100)
  }

  @Test(arguments: [false, true])
  func `an image that a request's decoder makes is not the placeholder of others`(hasDecoder: Bool) async throws {
    let fixture = PipelineFixture.serving()
    let plain = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.image(for: hasDecoder ? request(fixture, Tinted(red: 77)) : plain)
    #expect((fixture.pipeline.cachedPlaceholder(for: plain) == nil) == hasDecoder)
  }

  @Test func `the stored form of an image is not decoded by the decoder of the request`() async throws {
    let fixture = PipelineFixture(configure: { $0.encoders = [SolidEncoder()] }) { _ in
      .response(body: SolidImage(width: 10, height: 10).data)
    }
    var request = request(fixture, Tinted(red: 77))
    request.options.storage = .encoded(as: .bmp)
    request.options.memoryAccess = .disabled
    for origin in [ImageOrigin.network, .store] {
      let response = try await fixture.pipeline.response(for: request)
      #expect(response.image.bitmap[0, 0].red == 87)
      #expect(response.origin == origin)
      await fixture.pipeline.cache.flush()
    }
    #expect(fixture.store.count == 2)
  }

  @Test func `an image stored for a request with a decoder does not replace the bytes`() async throws {
    let fixture = PipelineFixture(configure: { $0.encoders = [SolidEncoder()] }) { _ in
      .response(body: SolidImage(width: 10, height: 10).data)
    }
    var request = request(fixture, Tinted(red: 77))
    request.options.storage = .encoded(as: .bmp)
    let image = try await fixture.pipeline.image(for: request)
    try await fixture.pipeline.removeImage(for: request)
    try await fixture.pipeline.store(image, for: request)
    #expect(fixture.store.count == 1)
    #expect(await fixture.pipeline.cachedTier(for: ImageRequest(url: fixture.url)) == nil)
  }
}
