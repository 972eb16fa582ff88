import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Decoders that fail at the target size.
@Suite(.unitTest)
struct DecodingFallbackTests {
  private enum DecoderError: Error { case cannotScale }

  /// Decodes 8×4 pixels, black on the left and white on the right, and fails at all sizes but the original.
  private final class WholeImageDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.bmp]
    private let error: any Error & Sendable
    private let sizes = Lock<[TargetSize]>([])

    init(failingWith error: any Error & Sendable) { self.error = error }

    var decodedSizes: [TargetSize] { sizes.withLock { $0 } }

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      ImageInfo(format: .bmp, storedSize: PixelSize(width: 8, height: 4))
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      sizes.withLock { $0.append(options.size) }
      guard options.size == .original, let info = try probe(bytes, isComplete: true) else { throw error }
      try options.limits.check(info.pixelSize, format: .bmp)
      let bitmap = try Bitmap(size: info.pixelSize, isOpaque: true) { pixels in
        for index in pixels.indices { pixels[index] = index % 4 == 3 || index / 4 % 8 >= 4 ? 255 : 0 }
      }
      return DecodedImage(bitmap: bitmap, info: info)
    }
  }

  @Test(arguments: [
    DecoderError.cannotScale as any Error & Sendable, ImageDecodingError.unsupportedFeature(.bmp, feature: "scaling"),
  ])
  func `an image whose decoder fails at the target size is decoded whole and scaled`(
    _ error: any Error & Sendable
  ) async throws {
    let decoder = WholeImageDecoder(failingWith: error)
    let transport = ScriptedTransport { _ in .response(body: SolidImage(width: 8, height: 4).data) }
    let pipeline = ImagePipeline(configuration: PipelineConfiguration(transport: transport, decoders: [decoder]))
    let url = try #require(URL(string: "http://127.0.0.1/a.bmp"))
    let image = try await pipeline.image(for: ImageRequest(url: url, size: .fit(width: 4, height: 4)))
    #expect(image.size == PixelSize(width: 4, height: 2) && image.info.pixelSize == PixelSize(width: 8, height: 4))
    #expect(image.bitmap[0, 0] == (0, 0, 0, 255) && image.bitmap[3, 1] == (255, 255, 255, 255))
    #expect(image.bitmap[1, 0].red < 128 && image.bitmap[2, 0].red > 128)
    #expect(decoder.decodedSizes == [.fit(width: 4, height: 4), .original])
  }

  @Test func `the first of two decoders of a format is used`() throws {
    let decoders = [1, 2].map { _ in WholeImageDecoder(failingWith: DecoderError.cannotScale) }
    #expect(try DecoderTable(decoders).decoder(for: .bmp) as? WholeImageDecoder === decoders[0])
  }

  @Test func `the scaled image is the part that the target size shows`() throws {
    let decoder = WholeImageDecoder(failingWith: DecoderError.cannotScale)
    let options = DecodingOptions(size: .fill(width: 2, height: 2, anchor: .right))
    let image = try decoder.image(from: Data(), options: options)
    #expect(image.size == PixelSize(width: 2, height: 2))
    #expect(image.bitmap[0, 0].red > 200 && image.bitmap[1, 1] == (255, 255, 255, 255))
    let larger = try decoder.image(from: Data(), options: DecodingOptions(size: .exact(width: 16, height: 4)))
    #expect(larger.bitmap[0, 0].red == 0 && larger.bitmap[15, 3].red == 255)
  }

  @Test func `the region of a decoder without regions is cropped from the whole`() throws {
    let decoder = WholeImageDecoder(failingWith: DecoderError.cannotScale)
    let region = PixelArea(left: 3, top: 1, width: 4, height: 2)
    let image = try decoder.image(from: Data(), options: DecodingOptions(region: region))
    #expect(image.size == region.size && image.info.pixelSize == PixelSize(width: 8, height: 4))
    #expect(image.bitmap[0, 0].red == 0 && image.bitmap[1, 1].red == 255)
    let small = DecodingOptions(size: .fit(width: 2, height: 2), region: region)
    #expect(try decoder.image(from: Data(), options: small).size == PixelSize(width: 2, height: 1))
    #expect(decoder.decodedSizes == [.original, .original])
    let outside = PixelArea(left: 5, top: 0, width: 4, height: 1)
    #expect(throws: ImageDecodingError.invalidRegion(outside, of: PixelSize(width: 8, height: 4))) {
      try decoder.image(from: Data(), options: DecodingOptions(region: outside))
    }
  }

  @Test func `each region of an image is an image of its own, from one download`() async throws {
    let fixture = PipelineFixture { _ in
      .response(body: SolidImage(width: 8, height: 4).data, headers: ["Cache-Control": "max-age=60"])
    }
    func load(_ region: PixelArea?) async throws -> ImageResponse {
      try await fixture.pipeline.response(for: ImageRequest(url: fixture.url) { $0.region = region })
    }
    let regions = [PixelArea(left: 0, top: 0, width: 3, height: 2), PixelArea(left: 1, top: 0, width: 3, height: 2)]
    for region in regions + [nil] {
      #expect(try await load(region).image.size == region?.size ?? PixelSize(width: 8, height: 4))
    }
    for region in regions + [nil] { #expect(try await load(region).origin == .memory) }
    #expect(fixture.transport.requests.count == 1)
    let outside = PixelArea(left: 6, top: 0, width: 3, height: 2)
    await #expect {
      try await load(outside)
    } throws: { error in
      guard case ImageError.decoding(.invalidRegion(outside, of: _), url: _) = error else { return false }
      return true
    }
  }

  @Test(arguments: [
    ImageDecodingError.corrupt(.bmp, reason: "a bit"), .truncated(.bmp),
    .tooManyPixels(PixelSize(width: 8, height: 4), limit: 1), .outOfMemory(PixelSize(width: 8, height: 4)), .cancelled,
    .unsupportedFeature(.svg, feature: "so many shapes"),
  ])
  func `damaged data and limits end the first attempt`(_ error: ImageDecodingError) {
    let decoder = WholeImageDecoder(failingWith: error)
    #expect(throws: error) {
      try decoder.image(from: Data(), options: DecodingOptions(size: .fit(width: 4, height: 4)))
    }
    #expect(decoder.decodedSizes.count == 1)
  }

  @Test func `the limits hold for the whole image and for the result`() {
    let decoder = WholeImageDecoder(failingWith: DecoderError.cannotScale)
    let small = ImageLimits(pixelCount: 31)
    #expect(throws: DecoderError.cannotScale) {
      try decoder.image(from: Data(), options: DecodingOptions(size: .fit(width: 4, height: 4), limits: small))
    }
    let enlarged = DecodingOptions(size: .exact(width: 100, height: 100), limits: ImageLimits(pixelCount: 32))
    #expect(throws: ImageDecodingError.self) { try decoder.image(from: Data(), options: enlarged) }
  }

  /// Decodes everything but squares of 3 pixels.
  private struct PickyDecoder: ImageDecoder {
    let base = SolidDecoder()
    var formats: Set<ImageFormat> { base.formats }

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { try base.probe(bytes, isComplete: isComplete) }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      if options.size == .exact(width: 3, height: 3) { throw ImageDecodingError.corrupt(.bmp, reason: "a bit") }
      return try base.decode(bytes, options: options)
    }
  }

  @Test func `a result that cannot be made is not tried again for a while, and leaves the others alone`() async throws {
    let fixture = PipelineFixture {
      $0.decoders = [PickyDecoder()]
    } script: { _ in
      .response(body: SolidImage(width: 8, height: 4).data, headers: ["Cache-Control": "no-store"])
    }
    let pipeline = fixture.pipeline
    var request = ImageRequest(url: fixture.url, size: .exact(width: 3, height: 3))
    func expectFailure(transfers: Int) async {
      await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
      await #expect(throws: ImageError.self) { try await pipeline.encodedData(for: request, as: .png) }
      #expect(fixture.transport.requests.count == transfers)
    }
    await expectFailure(transfers: 2)
    await expectFailure(transfers: 2)
    #expect(try await pipeline.image(for: ImageRequest(url: fixture.url, size: .fit(width: 2))).size.width == 2)
    #expect(try await pipeline.data(for: ImageRequest(url: fixture.url)).count > 10)
    #expect(fixture.transport.requests.count == 4)
    request.cachePolicy = .reload
    await expectFailure(transfers: 6)
  }

  @Test func `without a memory of failures each load of a damaged image requests it`() async throws {
    let damaged = SolidImage(width: 8, height: 4).data.prefix(12)
    let fixture = PipelineFixture {
      $0.failureLifetimes = .none
    } script: { _ in
      .response(body: damaged, headers: ["Cache-Control": "max-age=60"])
    }
    // The bytes are in use, by a load that does not decode them.
    let loader = fixture.pipeline.loader
    let load = loader.newLoad(ImageRequest(url: fixture.url), for: LoadSubscription(priority: .normal))
    let held = try await loader.bytes.encodedImage(for: load)
    for count in [1, 2] {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
      #expect(fixture.transport.requests.count == count)
    }
    withExtendedLifetime(held) {}
  }
}
