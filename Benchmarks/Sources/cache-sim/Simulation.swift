import CMalloc
import Halcyon

/// A memory cache fed by a trace: what it misses is stored, and nothing expires.
///
/// The images are as large as the trace says, but no one writes to their pixels: they take addresses, not memory.
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
    // Blocks come zeroed from the system instead of being kept and cleared, however many were freed before.
    mallopt(M_MMAP_THRESHOLD, 1 << 14)
    #endif
    var outcome = Outcome(capacity: Int(Double(trace.footprint) * capacityPercent / 100))
    let cache = MemoryCache(
      configuration: MemoryCacheConfiguration(
        costLimit: outcome.capacity, expiration: .never, policy: policy, findsImagesInUse: false, reuseByteLimit: 0))
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
    precondition(bitmap.byteCount == cost, "a cost has to be a multiple of 4, got \(cost)")
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .jpeg, storedSize: size))
  }
}
