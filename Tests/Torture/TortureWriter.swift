import HalcyonTestSupport
import HalcyonCache
import Foundation

/// Reads and writes until it is killed.
///
/// It exits on its own only when an operation fails or an entry is wrong.
struct TortureWriter {
  /// The smallest limit that covers the index and the folders too, in bytes.
  static let sizeLimit = 16 << 20

  let folder: URL
  let seed: UInt64

  func run() async throws {
    let cache = DiskCache(directory: folder, configuration: DiskCacheConfiguration(sizeLimit: Self.sizeLimit))
    await withThrowingTaskGroup { group in
      for worker in 0..<2 as Range<UInt64> {
        group.addTask { try await work(on: cache, random: SplitMix(state: seed &+ worker)) }
      }
      while let result = await group.nextResult() {
        if case .failure(let error) = result { Self.end("\(error)") }
      }
    }
  }

  private func work(on cache: DiskCache, random: SplitMix) async throws {
    var random = random
    while true {
      let number = random.nextKey()
      let key = TortureEntry.key(number)
      let isOverwritten = random.next() % 10 == 0
      if !isOverwritten, let entry = try await cache.entry(for: key) {
        if !TortureEntry.isIntact(entry.body, number: number) { Self.end("wrong bytes under key \(number)") }
      } else {
        try await cache.store(TortureEntry.make(number: number, version: random.next()), for: key)
      }
      if cache.statistics.misses[.damaged] != nil { Self.end("a damaged entry under key \(number)") }
    }
  }

  private static func end(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("writer \(getpid()): \(reason)\n".utf8))
    exit(3)
  }
}
