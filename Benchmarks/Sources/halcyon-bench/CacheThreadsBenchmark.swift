import BenchMetric
import Foundation
import Halcyon
import HalcyonSupport
import HalcyonCache
import Synchronization

/// Memory cache hits with a prepared key from several threads, compared with `NSCache` and an LRU cache behind one lock.
enum CacheThreadsBenchmark {
  private static let imageCount = 10_000
  private static let readCount = 400_000
  private static let roundCount = rounds(7)

  static func run() throws {
    let keys = (0..<imageCount).map { CacheKey("https://images.example.com/albums/2026/photo-\($0).jpg|400x300") }
    let names = keys.map { NSString(string: $0.text) }
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1 << 30))
    let locked = OneLockLRU(sentinel: try image())
    // `NSCache` is documented to be thread-safe, but is not declared `Sendable`.
    nonisolated(unsafe) let foundation = NSCache<NSString, Box>()
    for (key, name) in zip(keys, names) {
      let image = try image()
      memory.store(image, for: key)
      locked.store(image, for: key)
      foundation.setObject(Box(image: image), forKey: name)
    }
    // Only read from here on.
    nonisolated(unsafe) let foundationNames = names
    let order = requestOrder()

    for (threadCount, suffix) in [(1, "1_thread"), (2, "2_threads"), (4, "4_threads")] {
      var (ours, lru, peer): ([Double], [Double], [Double]) = ([], [], [])
      for _ in 0..<roundCount {
        ours.append(time(threadCount, order) { precondition(memory.image(for: keys[$0]) != nil) })
        lru.append(time(threadCount, order) { precondition(locked.image(for: keys[$0]) != nil) })
        peer.append(time(threadCount, order) { precondition(foundation.object(forKey: foundationNames[$0]) != nil) })
      }
      let goal: Double? = [1: 80, 2: 200][threadCount]
      let name = "memory_hit_\(suffix)"
      Metric(name: name, value: median(ours), unit: "ns", goal: goal.map { .atMost($0) }).report()
      Metric(name: "one_lock_lru_hit_\(suffix)", value: median(lru), unit: "ns").report()
      Metric(name: "nscache_hit_\(suffix)", value: median(peer), unit: "ns").report()
      let ratio = median(peer) / median(ours)
      let ratioName = threadCount == 1 ? "nscache_to_memory_hit" : "nscache_to_memory_hit_\(suffix)"
      Metric(name: ratioName, value: ratio, unit: "ratio", goal: threadCount == 1 ? .atLeast(6) : nil).report()
    }
  }

  /// Nanoseconds per read, on each of the threads.
  private static func time(
    _ threadCount: Int, _ order: [Int], _ read: @escaping @Sendable (Int) -> Void
  ) -> Double {
    let ready = DispatchSemaphore(value: 0)
    let start = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    for number in 0..<threadCount {
      Thread.detachNewThread {
        ready.signal()
        start.wait()
        let offset = number * 7919
        for step in 0..<readCount { read(order[(step + offset) & (order.count - 1)]) }
        end.signal()
      }
    }
    for _ in 0..<threadCount { ready.wait() }
    let began = ContinuousClock.now
    for _ in 0..<threadCount { start.signal() }
    for _ in 0..<threadCount { end.wait() }
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

/// The baseline: a memory cache of the usual design, a dictionary and a linked list behind one lock.
private final class OneLockLRU: Sendable {
  private struct Node {
    var image: DecodedImage
    var newer: Int
    var older: Int
  }

  private struct State {
    var indices: [CacheKey: Int] = [:]
    // The first node is the sentinel of the circular list: its older neighbour is the newest image.
    var nodes: [Node]
  }

  private let state: Mutex<State>

  init(sentinel image: DecodedImage) {
    state = Mutex(State(nodes: [Node(image: image, newer: 0, older: 0)]))
  }

  func store(_ image: DecodedImage, for key: CacheKey) {
    state.withLock { state in
      let index = state.nodes.count
      state.indices[key] = index
      state.nodes.append(Node(image: image, newer: index, older: index))
      Self.moveToFront(index, in: &state.nodes)
    }
  }

  func image(for key: CacheKey) -> DecodedImage? {
    state.withLock { state in
      guard let index = state.indices[key] else { return nil }
      Self.moveToFront(index, in: &state.nodes)
      return state.nodes[index].image
    }
  }

  private static func moveToFront(_ index: Int, in nodes: inout [Node]) {
    let (newer, older) = (nodes[index].newer, nodes[index].older)
    nodes[newer].older = older
    nodes[older].newer = newer
    let second = nodes[0].older
    nodes[index].newer = 0
    nodes[index].older = second
    nodes[second].newer = index
    nodes[0].older = index
  }
}
