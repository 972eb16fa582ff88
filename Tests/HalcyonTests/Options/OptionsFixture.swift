import HalcyonCache
import HalcyonCodecs
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTesting
import HalcyonTestSupport
import Testing

/// A pipeline with real caches in a temporary folder, a scripted transport, and a clock that the test advances.
struct OptionsFixture {
  let clock = TestClock()
  let transport: ScriptedTransport
  let memory: MemoryCache
  let disk: DiskCache
  let pipeline: ImagePipeline
  let url = URL(string: "http://example.com/image") ?? URL(filePath: "/")

  private init(
    folder: URL, options: RequestOptions, fileSystem: any FileSystem, prefersLowData: Bool,
    script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) {
    transport = ScriptedTransport(script)
    memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 100 << 20), time: clock)
    var diskConfiguration = DiskCacheConfiguration()
    diskConfiguration.cleaning.occasions.subtract([.firstUse, .timer])
    disk = DiskCache(
      directory: folder.appending(path: "cache"), configuration: diskConfiguration, time: clock, fileSystem: fileSystem)
    var configuration = PipelineConfiguration()
    configuration.transport = transport
    configuration.cache = ImageCache(memory: memory, store: disk)
    configuration.time = clock
    configuration.options = options
    configuration.options.retryStrategy = options.retryStrategy ?? .never
    configuration.failureLifetimes = .none
    configuration.prefersLowData = { prefersLowData }
    pipeline = ImagePipeline(configuration: configuration)
  }

  /// Runs a test whose transport responds to every request with `file`.
  static func run(
    serving file: Data, headers: HTTPHeaders = HTTPHeaders(), options: RequestOptions = RequestOptions(),
    fileSystem: any FileSystem = SystemFiles(), _ body: (OptionsFixture) async throws -> Void
  ) async throws {
    try await run(options: options, fileSystem: fileSystem) { _ in
      .response(body: file, headers: headers)
    } body: {
      try await body($0)
    }
  }

  /// Runs a test with a scripted transport.
  static func run(
    options: RequestOptions = RequestOptions(), fileSystem: any FileSystem = SystemFiles(),
    prefersLowData: Bool = false,
    script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply,
    body: (OptionsFixture) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let fixture = OptionsFixture(
        folder: folder, options: options, fileSystem: fileSystem, prefersLowData: prefersLowData,
        script: script)
      try await body(fixture)
      // All writes must be complete before the folder is removed.
      await fixture.pipeline.cache.flush()
    }
  }

  func request(size: TargetSize? = nil, _ change: (inout RequestOptions) -> Void = { _ in }) -> ImageRequest {
    var request = ImageRequest(url: url, size: size)
    change(&request.options)
    return request
  }

  /// The origin of the response, after all pending writes are complete.
  func origin(_ request: ImageRequest) async throws -> ImageOrigin {
    await pipeline.cache.flush()
    return try await pipeline.response(for: request).origin
  }

  /// The stored entries, after all pending writes are complete.
  var entries: [DiskCacheEntry] {
    get async throws {
      await pipeline.cache.flush()
      var entries: [DiskCacheEntry] = []
      for try await entry in disk.entries { entries.append(entry) }
      return entries
    }
  }

  /// The formats of the stored entries, after all pending writes are complete.
  var storedFormats: [ImageFormat?] {
    get async throws {
      await pipeline.cache.flush()
      var formats: [ImageFormat?] = []
      for try await entry in disk.entries {
        formats.append(try await disk.entry(for: entry.key).flatMap { ImageFormat(sniffing: $0.body) })
      }
      return formats.sorted { ($0?.rawValue ?? "") < ($1?.rawValue ?? "") }
    }
  }
}

/// Image files made for a test.
enum TestImage {
  /// A PNG of one colour; with `hasHole`, its left half is transparent.
  static func png(width: Int = 40, height: Int = 20, hasHole: Bool = false) throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height), isOpaque: !hasHole) { pixels in
      for index in 0..<width * height where !hasHole || index % width >= width / 2 {
        for (channel, value) in [200, 100, 50, 255].enumerated() { pixels[index * 4 + channel] = UInt8(value) }
      }
    }
    return try PNGEncoder().encode(bitmap, options: EncodingOptions())
  }

  /// An endless GIF with one frame for each value of `reds`, its red component.
  static func gif(reds: [UInt8], width: Int = 80, height: Int = 40) throws -> Data {
    let frames = try reds.map { red in
      let bitmap = try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { pixels in
        for index in pixels.indices { pixels[index] = [red, 0, 0, 255][index % 4] }
      }
      return AnimationFrame(bitmap: bitmap, duration: .milliseconds(50))
    }
    return try StandardCodecs.gif(frames)
  }
}
