import HalcyonCodecs
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport

/// A pipeline with an empty cache whose events are recorded.
struct ObservedPipeline {
  let pipeline: ImagePipeline
  let log: EventLog<PipelineEvent>
  /// A PNG of 8 x 8 pixels, small enough to arrive in one piece.
  let image: Data

  init(folder: URL, configure: (inout PipelineConfiguration) -> Void = { _ in }) throws {
    let log = EventLog<PipelineEvent>()
    var configuration = PipelineConfiguration()
    configuration.cache = ImageCache(
      memory: MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1 << 20)),
      store: DiskCache(directory: folder))
    configuration.eventHandler = { log.record($0) }
    // Longer than any test: a held reply must not run into the idle timeout on a slow machine.
    configuration.transportLimits.idleTimeout = .seconds(600)
    configuration.options.retryStrategy = ExponentialBackoff(firstDelay: .zero)
    configure(&configuration)
    self.log = log
    pipeline = ImagePipeline(configuration: configuration)
    image = try PNGEncoder().encode(
      Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: true) { pixels in
        for index in pixels.indices { pixels[index] = 255 }
      }, options: EncodingOptions())
  }

  /// The events of one load, in order.
  func events(of load: UInt64) -> [String] {
    log.events.filter { $0.load == load }.map(\.kind.description)
  }

  /// The events that belong to no load, in order.
  var cacheEvents: [String] { log.events.filter { $0.load == nil }.map(\.kind.description) }
}

/// Runs a test with a server and an observed pipeline.
func withObservedPipeline(
  configure: (inout PipelineConfiguration) -> Void = { _ in },
  _ body: (ImageServer, ObservedPipeline) async throws -> Void
) async throws {
  try await withOrigin { server, folder in
    let observed = try ObservedPipeline(folder: folder, configure: configure)
    try await body(server, observed)
    await observed.pipeline.cache.flush()
  }
}
