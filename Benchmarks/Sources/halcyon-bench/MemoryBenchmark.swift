import BenchMetric
import Foundation
import Halcyon
import HalcyonSupport
import HalcyonCache

/// Memory cache hits with a prepared key, compared with `NSCache`.
enum MemoryBenchmark {
  private static let imageCount = 10_000
  private static let readCount = 400_000

  static func run() throws {
    let keys = (0..<imageCount).map { CacheKey("https://images.example.com/albums/2026/photo-\($0).jpg|400x300") }
    let names = keys.map { NSString(string: $0.text) }
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1 << 30))
    let foundation = NSCache<NSString, Box>()
    for (key, name) in zip(keys, names) {
      let image = try image()
      memory.store(image, for: key)
      foundation.setObject(Box(image: image), forKey: name)
    }
    let order = requestOrder()
    var (ours, peer): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds(7) {
      ours.append(time(order) { precondition(memory.image(for: keys[$0]) != nil) })
      peer.append(time(order) { precondition(foundation.object(forKey: names[$0]) != nil) })
    }
    Metric(name: "memory_hit", value: median(ours), unit: "ns", goal: .atMost(80)).report()
    Metric(name: "nscache_hit", value: median(peer), unit: "ns").report()
    let ratio = median(peer) / median(ours)
    Metric(name: "nscache_to_memory_hit", value: ratio, unit: "ratio", goal: .atLeast(6)).report()
  }

  /// Nanoseconds per read.
  private static func time(_ order: [Int], _ read: (Int) -> Void) -> Double {
    let began = ContinuousClock.now
    for step in 0..<readCount { read(order[step & (order.count - 1)]) }
    return began.duration(to: .now).nanoseconds / Double(readCount)
  }

  /// 65,536 image numbers in a Zipf distribution: the n-th image is requested 1/n times as often as the first.
  private static func requestOrder() -> [Int] {
    var sums: [Double] = []
    for rank in 1...imageCount { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
    var state: UInt64 = 4
    return (0..<65_536).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let draw = Double(state >> 11) / Double(1 << 53) * (sums.last ?? 0)
      return min(imageCount - 1, sums.partitioningIndex { $0 >= draw })
    }
  }

  private static func image() throws -> DecodedImage {
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

extension [Double] {
  /// The index of the first element that satisfies `isInSecondPart`, in an array partitioned by it.
  fileprivate func partitioningIndex(_ isInSecondPart: (Double) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
