import BenchMetric
import Foundation
import Halcyon
import HalcyonSupport
@_spi(Programs) import HalcyonCache

/// Reuse of the memory of evicted images: the time to allocate and fill a bitmap of 1000 x 1000 pixels, and the resident
/// memory of the process while two threads replace images of many sizes.
///
/// Measured with reuse, and without, when the memory returns to the system's allocator.
enum ReuseBenchmark {
  private static let reuseByteLimit = 32 << 20
  private static let imageByteLimit = 192 << 20

  static func run() throws {
    var (fresh, reused, allocated): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<rounds(5) {
      let times = try Self.times(reuseByteLimit: reuseByteLimit)
      fresh += times.filling
      reused += times.full
      allocated += try Self.times(reuseByteLimit: 0).full
    }
    Metric(name: "bitmap_4mb_fresh", value: median(fresh), unit: "us").report()
    Metric(name: "bitmap_4mb_reused", value: median(reused), unit: "us").report()
    Metric(name: "bitmap_4mb_by_allocator", value: median(allocated), unit: "us").report()
    let ratio = median(reused) / median(fresh)
    Metric(name: "bitmap_4mb_reused_to_fresh", value: ratio, unit: "ratio", goal: .atMost(0.9)).report()
    for (name, reuseByteLimit) in [("with_reuse", reuseByteLimit), ("by_allocator", 0)] {
      let ratio = try heldToLimit(reuseByteLimit: reuseByteLimit)
      Metric(name: "memory_held_to_limit_\(name)", value: ratio, unit: "ratio").report()
    }
  }

  /// The times for bitmaps while the cache fills, and then while each one evicts another.
  private static func times(reuseByteLimit: Int) throws -> (filling: [Double], full: [Double]) {
    let memory = cache(reuseByteLimit: reuseByteLimit)
    let size = PixelSize(width: 1000, height: 1000)
    let pixels = [UInt8](repeating: 127, count: size.width * size.height * 4)
    let fullCount = imageByteLimit / pixels.count
    var (filling, full): ([Double], [Double]) = ([], [])
    for number in 0..<4 * fullCount {
      let start = ContinuousClock.now
      let image = try image(size, pixels)
      let time = start.duration(to: .now) / .microseconds(1)
      if number < fullCount { filling.append(time) } else if number > 2 * fullCount { full.append(time) }
      precondition(memory.store(image, for: CacheKey("\(number)")))
    }
    return (filling, full)
  }

  /// The resident memory for a full cache, as a fraction of the cache's limit.
  private static func heldToLimit(reuseByteLimit: Int) throws -> Double {
    let memory = cache(reuseByteLimit: reuseByteLimit)
    let before = residentByteCount
    let end = DispatchSemaphore(value: 0)
    let pixels = [UInt8](repeating: 127, count: 1300 * 1200 * 4)
    for thread in 0..<2 {
      Thread.detachNewThread {
        var random = SystemRandomNumberGenerator()
        for number in 0..<600 {
          let size = PixelSize(
            width: .random(in: 300..<1300, using: &random), height: .random(in: 200..<1200, using: &random))
          guard let image = try? image(size, pixels) else { preconditionFailure("no memory for \(size)") }
          memory.store(image, for: CacheKey("\(thread) \(number)"))
        }
        end.signal()
      }
    }
    for _ in 0..<2 { end.wait() }
    defer { memory.removeAll() }
    return Double(residentByteCount - before) / Double(memory.configuration.costLimit)
  }

  private static func cache(reuseByteLimit: Int) -> MemoryCache {
    var configuration = MemoryCacheConfiguration(costLimit: imageByteLimit + reuseByteLimit)
    configuration.reuseByteLimit = reuseByteLimit
    return MemoryCache(configuration: configuration)
  }

  private static func image(_ size: PixelSize, _ pixels: [UInt8]) throws -> DecodedImage {
    let bitmap = try Bitmap(size: size, isOpaque: true) { $0.copyBytes(from: pixels.prefix($0.count)) }
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .jpeg, storedSize: size))
  }

  /// The resident memory of the process, in bytes (proc(5), statm).
  private static var residentByteCount: Int {
    let file = FileHandle(forReadingAtPath: "/proc/self/statm")
    let text = (try? file?.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
  }
}
