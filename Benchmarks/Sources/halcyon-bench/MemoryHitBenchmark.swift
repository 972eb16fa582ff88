import BenchMetric
import Foundation
import Halcyon
import HalcyonSupport
import HalcyonCache

/// Memory hits: through the whole pipeline, in the memory cache alone, and in `NSCache`, which other libraries use.
enum MemoryHitBenchmark {
  private static let imageCount = 1000
  private static let roundCount = rounds(7)
  private static let lookUpsPerRound = 100_000

  static func run() async throws {
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1 << 30))
    let pipeline = ImagePipeline { $0.cache = ImageCache(memory: memory, store: nil) }
    let foundation = NSCache<NSString, Box>()
    let requests = (0..<imageCount).map { number in
      ImageRequest(
        source: .string("https://images.example.com/albums/2026/photo-\(number).jpg"),
        size: .fit(width: 400, height: 300))
    }
    let image = try blankImage()
    let keys = requests.map { CacheKey($0.description) }
    let names = keys.map { NSString(string: $0.text) }
    for (request, (key, name)) in zip(requests, zip(keys, names)) {
      pipeline[cached: request] = image
      memory.store(image, for: key)
      foundation.setObject(Box(image: image), forKey: name)
    }

    var (whole, alone, peer): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<roundCount {
      var start = ContinuousClock.now
      for step in 0..<lookUpsPerRound { _ = try await pipeline.image(for: requests[step % imageCount]) }
      whole.append(start.duration(to: .now).nanoseconds / Double(lookUpsPerRound))
      start = .now
      for step in 0..<lookUpsPerRound { precondition(memory.image(for: keys[step % imageCount]) != nil) }
      alone.append(start.duration(to: .now).nanoseconds / Double(lookUpsPerRound))
      start = .now
      for step in 0..<lookUpsPerRound { precondition(foundation.object(forKey: names[step % imageCount]) != nil) }
      peer.append(start.duration(to: .now).nanoseconds / Double(lookUpsPerRound))
    }
    Metric(name: "pipeline_memory_hit", value: median(whole) / 1000, unit: "us", goal: .atMost(2)).report()
    Metric(name: "memory_cache_hit", value: median(alone), unit: "ns").report()
    Metric(name: "nscache_hit", value: median(peer), unit: "ns").report()
    Metric(name: "memory_cache_hit_to_nscache", value: median(alone) / median(peer), unit: "ratio").report()
  }

  private static func blankImage() throws -> DecodedImage {
    let size = PixelSize(width: 10, height: 10)
    return DecodedImage(
      bitmap: try Bitmap(size: size, isOpaque: true) { _ in }, info: ImageInfo(format: .jpeg, storedSize: size))
  }

  private final class Box {
    let image: DecodedImage

    init(image: DecodedImage) {
      self.image = image
    }
  }
}
