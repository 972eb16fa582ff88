import Foundation
import Halcyon
import HalcyonBackend
import HalcyonCodecs
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestTraits
import HalcyonTesting
import Testing

@Suite(.integrationTest)
struct DynamicRangeTests {
  /// A JPEG file with a gain map: grey, with a square of four times white.
  private static func photo() throws -> Data {
    let size = PixelSize(width: 64, height: 48)
    let bitmap = try Bitmap(size: size, isOpaque: true, dynamicRange: .high) { bytes in
      let pixels = bytes.bindMemory(to: SIMD4<UInt16>.self)
      for index in pixels.indices {
        let isInside = (16..<48).contains(index % 64) && (12..<36).contains(index / 64)
        pixels[index] = HalfFloat.bits(isInside ? SIMD4(4, 4, 4, 1) : SIMD4(0.2, 0.2, 0.2, 1))
      }
    }
    return try DecodedImage(bitmap: bitmap).encoded(as: .jpeg)
  }

  private func brightest(_ image: DecodedImage) -> Float { image.bitmap.dynamicRange == .high ? image.bitmap.peak : 1 }

  @Test(arguments: LoadPath.affected(by: .dynamicRange), OptionsLevel.allCases)
  func `an image has the range of its request on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let options = level.options { $0.dynamicRange = .high }
    let isAnimated = path == .animation
    let file = isAnimated ? try path.served : try Self.photo()
    // Whether files that are made on the path have room for the range.
    let isKept = try !path.encodes || StandardCodecs.encoder(for: .png) is any HighDynamicRangeEncoder
    try await OptionsFixture.run(serving: file, options: options.pipeline) { fixture async throws in
      func image(_ request: ImageRequest) async throws -> DecodedImage {
        let result = try await path.load(request, with: fixture.pipeline)
        if path.encodes, let data = result.data { return try await DecodedImage(data: data, dynamicRange: .high) }
        return try #require(result.image ?? fixture.pipeline[cached: request])
      }
      let request = path.request(fixture) { $0 = options.request }
      let high = try await image(request)
      #expect(abs(brightest(high) - (isKept && !isAnimated ? 4 : 1)) < 0.4, "\(high)")
      let standard = try await image(path.request(fixture) { $0.dynamicRange = .standard })
      #expect(standard.bitmap.dynamicRange == .standard)
      #expect(standard.info.droppedContent == (path.encodes || isAnimated ? [] : [.gainMap]))
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test func `a request whose processor knows bytes only shares the standard image`() async throws {
    try await OptionsFixture.run(serving: Self.photo()) { fixture async throws in
      var request = ImageRequest(url: fixture.url, processors: [BuiltInProcessor.blur(radius: 2)])
      let standard = try await fixture.pipeline.response(for: request)
      request.dynamicRange = .high
      let high = try await fixture.pipeline.response(for: request)
      #expect(high.origin == .memory)
      #expect(high.image.bitmap.dynamicRange == .standard)
      #expect(high.image.info.droppedContent == [.gainMap] && standard.image.info.droppedContent == [.gainMap])
      request.processors = [BuiltInProcessor.crop(width: 20, height: 20)]
      let cropped = try await fixture.pipeline.image(for: request)
      #expect(cropped.bitmap.dynamicRange == .high)
      #expect(cropped.size == PixelSize(width: 20, height: 20))
      request.processors = [Contextual()]
      #expect(try await fixture.pipeline.image(for: request).bitmap.dynamicRange == .high)
    }
  }

  private struct Contextual: ContextualImageProcessor {
    let identifier = "contextual"
    let keepsDynamicRange = true

    func process(_ bitmap: Bitmap) -> Bitmap { bitmap }
    func process(_ bitmap: Bitmap, in context: ImageProcessingContext) -> Bitmap { bitmap }
  }

  @Test(arguments: [ImageFormat.gif, .webp, .jpeg], [false, true])
  func `where the format of the storage policy has no room for the range, the download is stored`(
    format: ImageFormat, isPrefetched: Bool
  ) async throws {
    let file = try Self.photo()
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let request = ImageRequest(url: fixture.url, size: .fit(width: 32)) {
        ($0.dynamicRange, $0.storage) = (.high, .encoded(as: format, keepsOriginal: false))
      }
      if isPrefetched {
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .store)
        #expect(await prefetcher.start([request]).result.completed.count == 1)
      } else {
        #expect(abs(brightest(try await fixture.pipeline.image(for: request)) - 4) < 0.4)
      }
      await fixture.pipeline.cache.flush()
      let sizes = try await fixture.entries.map(\.bodyByteCount)
      #expect(sizes.count == 1 && (sizes == [file.count]) == (format != .jpeg))
      // After a restart, from the store.
      fixture.memory.removeAll()
      var cached = request
      cached.cachePolicy = .cacheOnly
      let image = try await fixture.pipeline.image(for: cached)
      #expect(abs(brightest(image) - 4) < 0.5)
      #expect(image.size == PixelSize(width: 32, height: 24))
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test func `a file keeps the range where its format has room for it`() async throws {
    try await OptionsFixture.run(serving: Self.photo()) { fixture async throws in
      let request = ImageRequest(url: fixture.url, size: .fit(width: 32)) { $0.dynamicRange = .high }
      let jpeg = try await fixture.pipeline.encodedData(for: request, as: .jpeg)
      let image = try await DecodedImage(data: jpeg, dynamicRange: .high)
      #expect(image.size == PixelSize(width: 32, height: 24), "\(image)")
      #expect(abs(brightest(image) - 4) < 0.4, "\(image)")
      let plan = Rendition(
        size: .fit(width: 16), processors: [BuiltInProcessor.flip(.horizontal)], encoding: Rendition.Encoding(as: .jpeg)
      )
      let planned = try await fixture.pipeline.encodedResponse(for: request, planIdentifier: "small") { _ in plan }
      #expect(abs(brightest(try await DecodedImage(data: planned.data, dynamicRange: .high)) - 4) < 0.5)
      let blurred = Rendition(
        processors: [BuiltInProcessor.blur(radius: 2)], encoding: Rendition.Encoding(as: .jpeg))
      let standard = try await fixture.pipeline.encodedResponse(for: request, planIdentifier: "blurred") { _ in blurred
      }
      #expect(try ImageMetadata(of: standard.data).info.dynamicRange == .standard)
      let gif = try await fixture.pipeline.encodedData(for: request, as: .gif)
      #expect(try await DecodedImage(data: gif, dynamicRange: .high).bitmap.dynamicRange == .standard)
    }
  }
}
