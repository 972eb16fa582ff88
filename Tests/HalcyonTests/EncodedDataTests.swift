import Foundation
import Halcyon
import HalcyonBackend
import HalcyonImaging
import HalcyonPipeline
import HalcyonCache
import HalcyonCodecs
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// `encodedData(for:as:)`: thumbnails as files.
@Suite(.integrationTest)
struct EncodedDataTests {
  private let small = TargetSize.fit(width: 20, height: 20)

  @Test func `a thumbnail is encoded once, and read from the store without a transfer`() async throws {
    try await OptionsFixture.run(serving: try TestImage.png()) { fixture async throws in
      let request = fixture.request(size: small)
      let data = try await fixture.pipeline.encodedData(for: request, as: .webp, quality: 0.7)
      #expect(ImageFormat(sniffing: data) == .webp)
      #expect(try WebPDecoder().decode(data, options: DecodingOptions()).size == PixelSize(width: 20, height: 10))
      #expect(try await fixture.storedFormats == [.png, .webp])
      #expect(fixture.memory.count == 0)
      // Another pipeline on the same store has no decoder and no encoder: nothing is made again.
      var configuration = fixture.pipeline.configuration
      (configuration.encoders, configuration.cache) = ([], ImageCache(memory: MemoryCache(), store: fixture.disk))
      let other = ImagePipeline(configuration: configuration)
      #expect(try await other.encodedData(for: request, as: .webp, quality: 0.7) == data)
      #expect(fixture.transport.requests.count == 1)
      // Each format and quality is a file of its own, from the stored original.
      let smaller = try await fixture.pipeline.encodedData(for: request, as: .webp, quality: 0.1)
      #expect(smaller != data)
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test func `a response has the origin of the file and the headers of its source`() async throws {
    let headers: HTTPHeaders = ["Last-Modified": "yesterday"]
    try await OptionsFixture.run(serving: try TestImage.png(), headers: headers) { fixture async throws in
      let request = fixture.request(size: small)
      let made = try await fixture.pipeline.encodedResponse(for: request, as: .webp)
      await fixture.pipeline.cache.flush()
      let stored = try await fixture.pipeline.encodedResponse(for: request, as: .webp)
      #expect(made.origin == .network)
      #expect(stored.origin == .store)
      #expect(!made.wasStored)
      #expect(stored.wasStored)
      #expect(made.data == stored.data)
      #expect(made.head?.headers["Last-Modified"] == "yesterday")
      #expect(stored.head?.headers["Last-Modified"] == "yesterday")
      #expect(stored.head?.status == 200)
      let freshness = try #require(stored.freshness)
      #expect(freshness > .zero)
      #expect(made.freshness == freshness)
      fixture.clock.advance(by: .seconds(1))
      let later = try await fixture.pipeline.encodedResponse(for: request, as: .webp)
      #expect(later.freshness == freshness - .seconds(1))
    }
  }

  @Test func `a planned animation keeps as many frames as its limit, each of them processed`() async throws {
    try await OptionsFixture.run(serving: try TestImage.gif(reds: [10, 90, 170, 250])) { fixture async throws in
      for (limit, format, count) in [(3, ImageFormat.webp, 3), (9, .gif, 4), (1, .webp, 1), (3, .png, 1)] {
        let sizes = EventLog<PixelSize>()
        let response = try await fixture.pipeline.plannedResponse(
          for: fixture.request(), planIdentifier: "\(limit) \(format)"
        ) { info in
          #expect(info.frameCount == 4)
          let process = BuiltInProcessor.custom(identifier: "log") { bitmap in
            sizes.record(bitmap.size)
            return bitmap
          }
          var plan = Rendition(
            size: .fit(width: 20, height: 20), processors: [process, .invert], encoding: .init(as: format))
          plan.frameLimit = limit
          return plan
        }
        #expect(sizes.events == Array(repeating: PixelSize(width: 20, height: 10), count: count))
        let image = try await DecodedImage(data: response.data)
        #expect(image.info.format == format)
        #expect(image.info.frameCount == count)
        var reds: [Int] = []
        for index in 0..<count {
          reds.append(Int(try await image.animation?.frame(at: index).bitmap[3, 3].red ?? image.bitmap[3, 3].red))
        }
        #expect(zip(reds, [245, 165, 85, 5]).allSatisfy { abs($0 - $1) < 8 }, "\(format) \(reds)")
      }
      #expect(fixture.transport.requests.count == 1)
    }
  }

  /// Animations of three frames that end in the last one, or whose last one is damaged, and how many frames can be read.
  private static func damagedAnimations() throws -> [(name: String, data: Data, frameCount: Int)] {
    let gif = TinyGIF.animation(reds: [10, 90, 170])
    let webP = try DecodedImage(data: gif).encoded(as: .webp)
    var damaged = gif
    // An unknown code before the first pixel of the last frame.
    damaged[damaged.endIndex - 4] = 0x3C
    return [("cut gif", gif.dropLast(15), 2), ("cut webp", webP.dropLast(12), 2), ("damaged gif", damaged, 1)]
  }

  @Test func `an animation of which frames are missing is made if allowed, and never stored`() async throws {
    for (name, data, frameCount) in try Self.damagedAnimations() {
      try await OptionsFixture.run(serving: data) { fixture async throws in
        for allowsPartialImage in [false, true] {
          let request = fixture.request { $0.allowsPartialImage = allowsPartialImage }
          func planned() async throws -> EncodedImageResponse {
            try await fixture.pipeline.plannedResponse(for: request, planIdentifier: "\(allowsPartialImage)") { _ in
              var plan = Rendition(processors: [BuiltInProcessor.invert], encoding: .init(as: .webp))
              plan.frameLimit = 9
              return plan
            }
          }
          guard allowsPartialImage else {
            await #expect(throws: ImageError.self, "\(name)") { try await planned() }
            continue
          }
          #expect(try await DecodedImage(data: planned().data).info.frameCount == frameCount, "\(name)")
          await fixture.pipeline.cache.flush()
          #expect(try await fixture.storedFormats == [], "\(name)")
          #expect(try await !planned().wasStored)
        }
      }
    }
  }

  @Test func `a thumbnail has the metadata that its policy says, in a file of its own`() async throws {
    let bitmap = try PNGDecoder().decode(TestImage.png(), options: DecodingOptions()).bitmap
    let info = ImageInfo(format: .jpeg, storedSize: bitmap.size)
    let fields = ImageMetadata(info: info, cameraModel: "Camera", copyright: "Ann")
    let original = try JPEGEncoder().encode(bitmap, options: EncodingOptions(metadata: fields))
    try await OptionsFixture.run(serving: original) { fixture async throws in
      let request = fixture.request(size: small)
      var cameras: [String?] = []
      var copyrights: [String?] = []
      for policy in MetadataPolicy.allCases + MetadataPolicy.allCases {
        let data = try await fixture.pipeline.encodedData(for: request, as: .webp, metadata: policy)
        let metadata = try ImageMetadata(of: data)
        cameras.append(metadata.camera)
        copyrights.append(metadata.copyright)
      }
      #expect(cameras == [nil, nil, "Camera", nil, nil, "Camera"])
      #expect(copyrights == [nil, "Ann", "Ann", nil, "Ann", "Ann"])
      #expect(try await fixture.storedFormats == [.jpeg, .webp, .webp, .webp])
      #expect(fixture.transport.requests.count == 1)
      // A policy of the request itself.
      let stored = fixture.request(size: small) {
        $0.storage = .encoded(as: .png, quality: 1, metadata: .keep)
      }
      _ = try await fixture.pipeline.image(for: stored)
      #expect(try await fixture.storedFormats == [.jpeg, .png, .webp, .webp, .webp])
    }
  }

  @Test func `the metadata of an image is read from its bytes, without decoding`() async throws {
    let bitmap = try PNGDecoder().decode(TestImage.png(), options: DecodingOptions()).bitmap
    let fields = ImageMetadata(info: ImageInfo(format: .png, storedSize: bitmap.size), cameraModel: "Camera")
    let file = try PNGEncoder().encode(bitmap, options: EncodingOptions(metadata: fields))
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let metadata = try await fixture.pipeline.metadata(for: fixture.request())
      #expect(metadata.camera == "Camera")
      #expect(metadata.info.pixelSize == bitmap.size)
      #expect(try await fixture.storedFormats == [.png])
      #expect(fixture.memory.count == 0)
    }
    try await OptionsFixture.run(serving: Data("hello, this is no image".utf8)) { fixture async throws in
      await #expect(throws: ImageError.self) { try await fixture.pipeline.metadata(for: fixture.request()) }
    }
  }

  @Test func `equal calls in flight share one load and one encoding`() async throws {
    let (gate, file) = (Gate(), try TestImage.png())
    let (count, joinedCount) = (Monitor(0), Monitor(0))
    try await OptionsFixture.run { _ in
      try await gate.wait()
      return .response(body: file)
    } body: { fixture in
      var configuration = fixture.pipeline.configuration
      configuration.encoders = [CountingEncoder { count.update { $0 += 1 } }]
      configuration.eventHandler = { event in
        if case .joined = event.kind { joinedCount.update { $0 += 1 } }
      }
      let pipeline = ImagePipeline(configuration: configuration)
      let request = fixture.request(size: small)
      let results = try await withThrowingTaskGroup(of: Data.self) { group in
        for _ in 0..<20 { group.addTask { try await pipeline.encodedData(for: request, as: .png) } }
        try await joinedCount.wait { $0 == 19 }
        gate.open()
        return try await group.reduce(into: [Data]()) { $0.append($1) }
      }
      #expect(Set(results).count == 1)
      #expect(fixture.transport.requests.count == 1)
    }
    #expect(count.read { $0 } == 1)
  }

  @Test func `a plan that depends on the file is made once, and its result read from the store`() async throws {
    try await OptionsFixture.run(serving: try TestImage.png()) { fixture async throws in
      let plans = Monitor(0)
      func load(_ identifier: String) async throws -> EncodedImageResponse {
        try await fixture.pipeline.plannedResponse(for: fixture.request(size: small), planIdentifier: identifier) {
          plans.update { $0 += 1 }
          return Rendition(
            size: .fill(width: $0.pixelSize.width / 2, height: $0.pixelSize.width / 2),
            processors: [BuiltInProcessor.rotate(degrees: 90), BuiltInProcessor.invert], encoding: .init(as: $0.format))
        }
      }
      let made = try await load("half")
      await fixture.pipeline.cache.flush()
      let stored = try await load("half")
      let width = try PNGDecoder().decode(TestImage.png(), options: DecodingOptions()).size.width
      let size = try PNGDecoder().decode(made.data, options: DecodingOptions()).size
      #expect(size == PixelSize(width: width / 2, height: width / 2))
      #expect(made.data == stored.data)
      #expect(!made.wasStored)
      #expect(stored.wasStored)
      #expect(stored.head?.status == 200)
      #expect(plans.read { $0 } == 1)
      _ = try await load("other")
      #expect(plans.read { $0 } == 2)
      #expect(fixture.transport.requests.count == 1)
    }
  }

  #if SVG && !IMAGEIO
  @Test func `SVG is sanitised once, and then read from the store`() async throws {
    let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>a</script></svg>".utf8)
    try await OptionsFixture.run(serving: document) { fixture async throws in
      let plans = Monitor(0)
      for isFirst in [true, false] {
        let response = try await fixture.pipeline.plannedResponse(
          for: fixture.request(size: small), planIdentifier: "a"
        ) {
          plans.update { $0 += 1 }
          return Rendition(encoding: .init(as: $0.format))
        }
        let text = String(decoding: response.data, as: UTF8.self)
        #expect(text.contains("<svg"))
        #expect(!text.contains("script"))
        #expect(response.wasStored == !isFirst)
        await fixture.pipeline.cache.flush()
      }
      #expect(plans.read { $0 } == 1)
      await #expect(throws: ImageError.self) {
        _ = try await fixture.pipeline.plannedResponse(for: fixture.request(size: small), planIdentifier: "b") { _ in
          Rendition(encoding: .init(as: .bmp))
        }
      }
    }
  }
  #endif

  @Test func `a source that must not be stored is fetched once for a plan`() async throws {
    let control = "no-store, max-age=60"
    let headers: HTTPHeaders = ["Cache-Control": control]
    try await OptionsFixture.run(serving: try TestImage.png(), headers: headers) { fixture async throws in
      let response = try await fixture.pipeline.plannedResponse(for: fixture.request(), planIdentifier: "webp") { _ in
        Rendition(size: small, encoding: .init(as: .webp))
      }
      #expect(ImageFormat(sniffing: response.data) == .webp)
      #expect(response.head?.headers["Cache-Control"] == control)
      #expect(response.freshness == .zero)
      #expect(fixture.transport.requests.count == 1)
      await fixture.pipeline.cache.flush()
      #expect(try await fixture.storedFormats == [])
    }
  }

  @Test(
    arguments: [
      (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "max-age=60", "Vary": "*"], 0),
      (["Cache-Control": "max-age=60, no-store"], 0),
    ] as [(HTTPHeaders, Int)])
  func `a response is fresh for as long as it says without a store as well`(_ headers: HTTPHeaders, _ seconds: Int)
    async throws
  {
    let file = try TestImage.png()
    let pipeline = ImagePipeline {
      $0.cache = ImageCache(disk: nil)
      $0.transport = ScriptedTransport { _ in .response(body: file, headers: headers) }
      $0.time = TestClock()
    }
    let request = ImageRequest(source: .string("http://example.com/image"))
    let response = try await pipeline.plannedResponse(for: request, planIdentifier: "file") { _ in nil }
    #expect(response.freshness == .seconds(seconds))
  }

  @Test func `without a plan the file is returned as it is, and an error of the plan is the cause`() async throws {
    struct Refusal: Error {}
    let file = try TestImage.png()
    try await OptionsFixture.run(serving: file) { fixture async throws in
      let response = try await fixture.pipeline.plannedResponse(for: fixture.request(), planIdentifier: "file") { _ in
        nil
      }
      #expect(response.data == file)
      #expect(response.origin == .network)
      #expect(!response.wasStored)
      #expect(try await fixture.storedFormats == [.png])
      do throws(ImageError) {
        _ = try await fixture.pipeline.plannedResponse(for: fixture.request(), planIdentifier: "refused") { _ in
          throw Refusal()
        }
        Issue.record("The plan was refused.")
      } catch {
        guard case .failed(let cause, _) = error else { throw error }
        #expect(cause is Refusal)
      }
    }
  }

  @Test func `the first frame of an animation is encoded, within a byte limit`() async throws {
    try await OptionsFixture.run(serving: TinyGIF.animation(reds: [200, 10])) { fixture async throws in
      let data = try await fixture.pipeline.encodedData(for: fixture.request(), as: .png)
      #expect(try PNGDecoder().decode(data, options: DecodingOptions()).bitmap[0, 0].red == 200)
      #expect(try await fixture.storedFormats == [.gif, .png])
    }
    try await OptionsFixture.run(serving: try TestImage.png(width: 200, height: 200)) { fixture async throws in
      let full = try await fixture.pipeline.encodedData(for: fixture.request(), as: .jpeg, quality: 1)
      let limited = try await fixture.pipeline.encodedData(
        for: fixture.request(), as: .jpeg, quality: 1, byteLimit: full.count - 1)
      #expect(limited.count < full.count)
    }
  }
}

private struct CountingEncoder: ImageEncoder {
  let format = ImageFormat.png
  let onEncode: @Sendable () -> Void

  init(_ onEncode: @escaping @Sendable () -> Void) { self.onEncode = onEncode }

  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    onEncode()
    return try PNGEncoder().encode(bitmap, options: options)
  }
}
