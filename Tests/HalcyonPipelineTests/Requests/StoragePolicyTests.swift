import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonTestDoubles
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonImaging
@testable import HalcyonPipeline

@Suite(.unitTest)
struct StoragePolicyTests {
  private let renderer = Renderer(
    encoders: [LabelEncoder(format: .png), LabelEncoder(format: .jpeg), LabelEncoder(format: .webp)],
    limits: ImageLimits())

  private func label(_ image: DecodedImage, _ policy: StoragePolicy) throws -> String? {
    try policy.encoding.flatMap { try renderer.encoded(image, as: $0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `automatic stores PNG with alpha, JPEG without, and the original data of animations`() throws {
    #expect(try label(still(alpha: 255, isOpaque: true), .automatic) == "jpeg 0.8")
    #expect(try label(still(alpha: 100, isOpaque: false), .automatic) == "png 0.8")
    // The pixels decide, not the flag.
    #expect(try label(still(alpha: 255, isOpaque: false), .automatic) == "jpeg 0.8")
    let animated = try NumberedFramesDecoder(frameCount: 3).image(from: Data(), options: DecodingOptions())
    #expect(try label(animated, .automatic) == nil)
  }

  @Test func `an explicit format is used as given`() throws {
    let image = try still(alpha: 100, isOpaque: false)
    #expect(StoragePolicy.original.encoding == nil)
    #expect(try label(image, .encoded(as: .webp, quality: 0.5)) == "webp 0.5")
  }

  @Test(
    arguments: [
      (nil, false, false), (.fit(width: 4, height: 4), false, true), (nil, true, true),
    ] as [(TargetSize?, Bool, Bool)])
  func `automatic encodes an image that was downsampled or processed, and no other`(
    size: TargetSize?, isProcessed: Bool, isEncoded: Bool
  ) async throws {
    let fixture = PipelineFixture {
      $0.encoders = [LabelEncoder(format: .jpeg)]
    } script: { _ in
      .response(body: SolidImage(width: 8, height: 8).data)
    }
    var request = ImageRequest(url: fixture.url, size: size) { $0.storage = .automatic }
    if isProcessed { request.processors = [.invert] }
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    var files: [String] = []
    for key in fixture.store.keys {
      let body = try #require(try await fixture.store.entry(for: key)).body
      files.append(String(decoding: body, as: UTF8.self))
    }
    #expect(files.contains("jpeg 0.8") == isEncoded)
    #expect(files.count == (isEncoded ? 2 : 1))
  }

  @Test func `what was made of an older original than the stored one is not served, however often it is found`()
    async throws
  {
    let (clock, old) = (TestClock(), SolidImage(width: 8, height: 8, color: (1, 1, 1)).data)
    let fixture = PipelineFixture {
      ($0.time, $0.encoders) = (clock, [SolidEncoder()])
    } script: { _ in
      .response(body: old, headers: ["Cache-Control": "max-age=60"])
    }
    var request = ImageRequest(url: fixture.url, size: .fit(width: 4, height: 4)) { $0.storage = .encoded(as: .bmp) }
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 2)
    // Another process stores a newer original.
    let key = ImagePipeline.cacheKey(for: ImageRequest(url: fixture.url))
    var entry = try #require(try await fixture.store.entry(for: key))
    entry.body = SolidImage(width: 8, height: 8, color: (2, 2, 2)).data
    entry.metadata.original = OriginalMark(of: entry.body, received: clock.now())
    try await fixture.store.store(entry, for: key)
    var configuration = fixture.pipeline.configuration
    configuration.cache = ImageCache(memory: MemoryCache(), store: fixture.store)
    let later = ImagePipeline(configuration: configuration)
    (request.memoryAccess, request.storeAccess) = (.disabled, .readOnly)
    for _ in 0..<2 { #expect(try await later.image(for: request).bitmap[0, 0].red == 2) }
  }

  private func still(alpha: UInt8, isOpaque: Bool) throws -> DecodedImage {
    let size = PixelSize(width: 1, height: 1)
    let bitmap = try Bitmap(size: size, isOpaque: isOpaque) { $0.copyBytes(from: [0, 0, 0, alpha]) }
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: size))
  }
}

/// Writes the name of its format, and the quality.
private struct LabelEncoder: ImageEncoder {
  let format: ImageFormat

  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    Data("\(format.rawValue) \(options.quality)".utf8)
  }
}
