import HalcyonTestDoubles
import Foundation
import Halcyon
import HalcyonBackend
import HalcyonCache
import HalcyonCodecs
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import HalcyonViews
import Testing

/// No number ends the process, or makes a call wait for ever, whatever data it comes from: it is clamped, or the call throws.
@Suite(.integrationTest)
struct NumberTests {
  private static let integers: [Int] = [.min, -1, 0, 1, 3, .max]
  private static let numbers: [Double] = [
    .nan, .infinity, -.infinity, -0.0, 0, -1, 1, .leastNonzeroMagnitude, 1e308, -1e308, Double(Int.max),
  ]
  private static let durations: [Duration] = [
    .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max),
  ]

  private let request = ImageRequest(url: URL(string: "http://example.com/a") ?? URL(filePath: "/"))

  private func image() throws -> DecodedImage { try DecodedImage(data: TestImage.png(width: 12, height: 8)) }

  /// A pipeline whose server has one image, which loads it once with a configuration.
  private func load(_ change: (inout PipelineConfiguration) -> Void) async throws {
    let file = try TestImage.png(width: 12, height: 8)
    let pipeline = ImagePipeline {
      $0.transport = ScriptedTransport { _ in .response(body: file, headers: ["Cache-Control": "max-age=60"]) }
      $0.cache = ImageCache(store: MemoryDataStore())
      change(&$0)
    }
    for _ in 0..<2 { _ = try await pipeline.response(for: request) }
    await pipeline.cache.flush()
  }

  private func load(with options: (inout RequestOptions) -> Void) async throws {
    try await load { options(&$0.options) }
  }

  private func process(_ processor: any ImageProcessor) throws { _ = try image().processed(by: [processor]) }

  private func encode(_ change: (inout EncodingOptions) -> Void) throws {
    var options = EncodingOptions()
    change(&options)
    for encoder in StandardCodecs.encoders { _ = try? encoder.encode(image(), options: options) }
  }

  private func store(in cache: MemoryCache) throws {
    cache.store(try image(), for: "a")
    _ = cache.image(for: "a")
  }

  private func s3(_ change: (inout S3StoreConfiguration) -> Void) async throws {
    var configuration = S3StoreConfiguration()
    change(&configuration)
    let storage = try #require(
      URL(string: "http://127.0.0.1:1").flatMap { S3Storage(region: "us-east-1", endpoint: $0) })
    let store = S3Store(
      storage: storage, bucket: "images", transport: ScriptedTransport { _ in .response(status: 404, body: Data()) },
      configuration: configuration)
    try await store.store(StoredEntry(body: Data(count: 9), metadata: metadata()), for: "a")
    _ = try await store.entry(for: "a")
  }

  private func tier(_ change: (inout TieredStore.Tier) -> Void) async throws {
    var tier = TieredStore.Tier(name: "a", store: FailingStore(error: POSIXError(.EIO)), budget: .seconds(1))
    change(&tier)
    let store = TieredStore([tier])
    for _ in 0..<3 { _ = try? await store.entry(for: "a") }
  }

  private func metadata() -> EntryMetadata { EntryMetadata(requestDate: .now, responseDate: .now) }

  @Test(arguments: integers) func `sizes, counts and limits`(number: Int) async throws {
    let (size, bytes) = (PixelSize(width: number, height: number), try TestImage.png(width: 12, height: 8))
    let request = request
    let calls: [() async throws -> Void] = [
      { try process(.crop(width: number, height: number)) },
      { try process(.crop(width: number, height: number, anchor: .smart)) },
      { try process(.crop(x: number, y: number, width: number, height: number)) },
      { try process(.crop(x: 1, y: 1, width: number, height: 3)) },
      { try process(.extend(width: number, height: number)) },
      { try process(.padding(top: number, right: number, bottom: number, left: number)) },
      { try process(.padding(top: number)) },
      { try process(.pixelate(blockSize: number)) },
      { try process(.resize(.fit(width: number))) },
      { try process(.resize(.exact(width: number, height: 3, enlarges: true))) },
      { try process(.resize(.fill(width: 3, height: number, enlarges: true))) },
      { try process(.watermark(image().bitmap, inset: number)) },
      { _ = try DecodedImage(data: bytes, size: .fit(height: number)) },
      { _ = try DecodedImage(data: bytes, size: .fill(width: number, height: number)) },
      { _ = try DecodedImage(data: bytes, limits: ImageLimits(pixelCount: number)) },
      { _ = try DecodedImage(data: bytes, limits: ImageLimits(sideLength: number, encodedByteCount: number)) },
      { _ = try Bitmap(size: size, isOpaque: false) { _ in } },
      { _ = try Bitmap(size: size, isOpaque: false, dynamicRange: .high) { _ in } },
      { _ = BlurHash(try image().bitmap, columns: number, rows: number) },
      { _ = size.pixelCount },
      { try encode { $0.colorLimit = number } },
      { _ = try JPEGEncoder().encode(image(), options: EncodingOptions(), byteLimit: number) },
      { _ = try StandardCodecs.gif([AnimationFrame(bitmap: image().bitmap, duration: .zero)], loopCount: number) },
      {
        var settings = EncoderSettings()
        (settings.webPEffort, settings.avifSpeed, settings.jpegXLEffort) = (number, number, number)
        for encoder in settings.encoders { _ = try? encoder.encode(image(), options: EncodingOptions()) }
      },
      { try store(in: MemoryCache(configuration: MemoryCacheConfiguration(costLimit: number))) },
      { try store(in: MemoryCache(configuration: MemoryCacheConfiguration(countLimit: number))) },
      { try await load { $0.cache.encodedByteLimit = number } },
      { try await load(with: { $0.memoryExpiration = .days(number) }) },
      {
        try await TemporaryDirectory.run { folder in
          let disk = DiskCache(directory: folder, configuration: DiskCacheConfiguration(sizeLimit: number))
          try await disk.store(StoredEntry(body: Data(count: 9), metadata: metadata()), for: "a")
          _ = try await disk.clean()
        }
      },
      { try await load { $0.connectionLimits = ConnectionLimits(total: number, perHost: number, waiting: number) } },
      { try await load { ($0.connectionLimits.total, $0.connectionLimits.perHost) = (number, number) } },
      { try await load { ($0.decodingThreads, $0.redirectLimit, $0.retryBudget) = (number, number, number) } },
      { try await load { $0.limits = ImageLimits(pixelCount: number, sideLength: number, encodedByteCount: number) } },
      { try await load { $0.transportLimits.headerByteCount = number } },
      { try await load { $0.memoryBudget = MemoryBudget(byteLimit: number) } },
      { MemoryBudget(byteLimit: number).withReservation(10) {} }, { MemoryBudget().withReservation(number) {} },
      {
        let pipeline = ImagePipeline { $0.transport = ScriptedTransport { _ in .response(body: bytes) } }
        #expect(await pipeline.batch(for: [] as [ImageRequest], concurrencyLimit: number).results.isEmpty)
        #expect(await pipeline.batch(for: [request], concurrencyLimit: number).results.count == 1)
        for await result in pipeline.results(for: [request], concurrencyLimit: number) { #expect(result.index == 0) }
        let prefetcher = ImagePrefetcher(pipeline: pipeline, concurrencyLimit: number)
        prefetcher.concurrencyLimit = number
        #expect(prefetcher.concurrencyLimit == max(1, number))
        _ = try await pipeline.encodedData(for: request, as: .jpeg, byteLimit: number)
      },
      {
        let failure = FailedAttempt(
          error: .transport(.connectionLost(received: 0, expected: nil), url: request.source.url ?? URL(filePath: "/")),
          attemptCount: number)
        _ = await ExponentialBackoff(attemptLimit: number).delay(after: failure)
      },
      { try await s3 { ($0.entryByteLimit, $0.readByteLimit) = (number, number) } },
      { try await s3 { $0.retryCount = min(number, 3) } },
      { try await tier { $0.failureLimit = number } },
    ]
    for call in calls { try? await call() }
  }

  @Test(arguments: numbers) func `qualities, radii, angles and factors`(number: Double) async throws {
    let border = ImageBorder(width: number, color: .black)
    let calls: [() async throws -> Void] = [
      { try process(.blur(radius: number)) }, { try process(.border(width: number, color: .black)) },
      { try process(.brightness(number)) }, { try process(.contrast(number)) },
      { try process(.exposure(stops: number)) }, { try process(.saturation(number)) },
      { try process(.sharpen(amount: number)) }, { try process(.sharpen(radius: number)) },
      { try process(.rotate(degrees: number)) }, { try process(.circle(border: border)) },
      { try process(.roundedCorners(radius: number, border: border)) },
      { try process(.roundedCorners(CornerRadii(topLeft: number, bottomRight: 2))) },
      { try process(.trim(threshold: number)) },
      { try process(.crop(width: 3, height: 3, anchor: CropAnchor(x: number, y: number))) },
      { try process(.watermark(image().bitmap, opacity: number)) },
      { try process(.watermark(image().bitmap, scale: number)) },
      { try encode { $0.quality = number } },
      { _ = try image().encoded(as: .jpeg, quality: number) },
      { _ = try BlurHash(image().bitmap).bitmap(aspectRatio: number) },
      {
        var scaled = try image()
        scaled.scale = number
      },
      { try await load(with: { $0.scale = number }) },
      { try await load(with: { $0.storage = .encoded(as: .jpeg, quality: number) }) },
      {
        let file = try TestImage.png(width: 12, height: 8)
        let pipeline = ImagePipeline { $0.transport = ScriptedTransport { _ in .response(body: file) } }
        _ = try await pipeline.encodedData(for: request, as: .jpeg, quality: number)
      },
    ]
    for call in calls { try? await call() }
    let quality = EncodingOptions(quality: number).quality
    #expect(number.isNaN ? quality == 0.8 : quality == min(max(number, 0), 1))
    #expect(Rendition.Encoding(quality: number).quality == quality)
    var playback = AnimationPlayback(speed: number)
    #expect((0.01...100).contains(abs(playback.speed)))
    playback.speed = number
    #expect((0.01...100).contains(abs(playback.speed)))
  }

  @Test(arguments: durations) func `times and intervals`(duration: Duration) async throws {
    let calls: [() async throws -> Void] = [
      { try await load(with: { $0.timeout = duration }) },
      { try await load(with: { $0.memoryExpiration = .after(duration) }) },
      { try await load(with: { $0.storeExpiration = .after(duration, since: .storing) }) },
      { try await load(with: { $0.previews = PreviewPolicy(minimumInterval: duration) }) },
      { try await load { $0.progressInterval = duration } },
      {
        try await load {
          $0.failureLifetimes = FailureLifetimes(missing: duration, unusable: duration, unknownHost: duration)
        }
      },
      { try await load { $0.httpCaching = HTTPCacheRules(defaultLifetime: duration, validatorLifetime: duration) } },
      {
        try await load {
          $0.transportLimits = TransportLimits(
            connectTimeout: duration, idleTimeout: duration, totalTimeout: duration)
        }
      },
      {
        let failure = FailedAttempt(
          error: .transport(.connectionLost(received: 0, expected: nil), url: URL(filePath: "/")), attemptCount: 1,
          retryAfter: duration)
        for strategy in [ExponentialBackoff(firstDelay: duration), ExponentialBackoff(longestDelay: duration)] {
          _ = await strategy.delay(after: failure)
        }
      },
      {
        try await TemporaryDirectory.run { folder in
          var cleaning = CleaningPolicy(wipesAfterIdle: duration)
          cleaning.interval = duration
          let configuration = DiskCacheConfiguration(expiration: .after(duration), cleaning: cleaning)
          let disk = DiskCache(directory: folder, configuration: configuration)
          try await disk.store(StoredEntry(body: Data(count: 9), metadata: metadata()), for: "a")
          _ = try await disk.clean()
        }
      },
      { _ = try StandardCodecs.gif([AnimationFrame(bitmap: image().bitmap, duration: duration)]) },
      { try await s3 { ($0.timeout, $0.retryInterval) = (duration, duration) } },
      { try await tier { $0.retryInterval = duration } },
      { try await tier { ($0.budget, $0.changeBudget) = (duration, duration) } },
      {
        let response = EncodedImageResponse(data: Data(), origin: .network, freshness: duration)
        _ = response.httpHead(lifetime: duration)
      },
    ]
    for call in calls { try? await call() }
  }

  @Test(arguments: numbers) @MainActor func `a view shows its image whatever its scale is`(number: Double) async throws
  {
    let file = try TestImage.png(width: 12, height: 8)
    let pipeline = ImagePipeline {
      $0.transport = ScriptedTransport { _ in .response(body: file) }
      $0.cache = ImageCache(disk: nil)
    }
    let view = TestDisplay(pipeline: pipeline)
    view.hc.setImage(with: request, options: .scaled(by: number))
    #expect(try await view.content(of: .image).role == .image)
    let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
    view.hc.setImage(with: nil, placeholder: .blurHash(hash, aspectRatio: number))
  }

  @Test(arguments: integers) @MainActor func `a group of no images is not loading`(count: Int) {
    #expect(TransitionGroup(count: count).isLoading == (count > 0))
  }
}
