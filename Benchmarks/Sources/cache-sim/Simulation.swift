import CMalloc
import Halcyon
import HalcyonSupport
@_spi(Programs) import HalcyonCache

/// The simulation of a memory cache on a trace: every miss is stored, and nothing expires.
///
/// The images have the sizes given by the trace, but their pixels are never written: they take virtual memory only.
struct Simulation {
  struct Outcome {
    var capacity: Int
    var missCount = 0
    var missCost = 0
  }

  var policy: EvictionPolicy
  var capacityPercent: Double

  func replay(_ trace: Trace) throws -> Outcome {
    #if os(Linux)
    // Large blocks are always mapped anew, zeroed by the system: malloc would keep freed blocks, and clear them on reuse.
    mallopt(M_MMAP_THRESHOLD, 1 << 14)
    #endif
    var outcome = Outcome(capacity: Int(Double(trace.footprint) * capacityPercent / 100))
    var configuration = MemoryCacheConfiguration(
      costLimit: outcome.capacity, expiration: .never, policy: policy)
    configuration.findsImagesInUse = false
    configuration.reuseByteLimit = 0
    let cache = MemoryCache(configuration: configuration)
    for request in trace.requests {
      let key = CacheKey(String(request.key))
      guard cache.image(for: key) == nil else { continue }
      outcome.missCount += 1
      outcome.missCost += request.cost
      if request.cost <= outcome.capacity { cache.store(try image(cost: request.cost), for: key) }
    }
    return outcome
  }

  private func image(cost: Int) throws -> DecodedImage {
    let size = PixelSize(width: cost / 4, height: 1)
    let bitmap = try Bitmap(size: size, isOpaque: true) { _ in }
    precondition(bitmap.byteCount == cost, "costs must be multiples of 4, got \(cost)")
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .jpeg, storedSize: size))
  }
}
