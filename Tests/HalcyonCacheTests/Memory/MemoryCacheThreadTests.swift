import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Foundation
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct MemoryCacheThreadTests {
  @Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed], [false, true])
  func `eight threads never exceed the limit, and find the right images`(
    policy: EvictionPolicy, findsImagesInUse: Bool
  ) async throws {
    let costLimit = 10_000
    let cache = MemoryCache(
      configuration: MemoryCacheConfiguration(
        costLimit: costLimit, countLimit: 200, expiration: .after(.milliseconds(2)), policy: policy,
        findsImagesInUse: findsImagesInUse))
    let bitmaps = try (1...25).map { try solidImage($0, 1).bitmap }
    let problems = Lock<[String]>([])
    await onThreads(8) { worker in
      var generator = SplitMix(state: UInt64(worker))
      for _ in 0..<4000 {
        let number = Int.random(in: 1..<500, using: &generator)
        let key = CacheKey("\(number)")
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<8:
          let info = ImageInfo(format: .bmp, storedSize: PixelSize(width: number, height: 1))
          cache.store(DecodedImage(bitmap: bitmaps[number % 25], info: info), for: key)
        case 8: cache.removeImage(for: key)
        case 9: cache.removeExpired()
        case 10: cache.trim(to: costLimit / 2)
        default:
          let width = cache.image(for: key)?.info.storedSize.width ?? number
          if width != number { problems.withLock { $0.append("\(key) returned \(width)") } }
        }
        let (cost, count) = (cache.totalCost, cache.count)
        if cost > costLimit || count > 200 { problems.withLock { $0.append("\(cost) bytes, \(count) images") } }
      }
    }
    #expect(problems.withLock { $0 }.isEmpty)
    cache.removeAll()
    #expect(cache.totalCost == 0)
  }

  private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup { group in
      for number in 0..<count {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              work(number)
              continuation.resume()
            }
          }
        }
      }
    }
  }
}
