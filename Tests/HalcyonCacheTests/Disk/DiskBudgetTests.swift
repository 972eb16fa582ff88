import Foundation
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

@Suite(.integrationTest, .slow)
struct DiskBudgetTests {
  @Test func `overhead reduces the limit, less the block counted with each entry`() {
    let budget = DiskBudget(sizeLimit: 20 << 20, overhead: 2 << 20)
    #expect(budget.allows(byteCount: 18 << 20, entryCount: 0))
    #expect(!budget.allows(byteCount: 18 << 20 + 1, entryCount: 0))
    #expect(budget.allows(byteCount: 18 << 20 + 4096, entryCount: 1))
    #expect(budget.allows(byteCount: 20 << 20, entryCount: 10_000))
    #expect(!budget.allows(byteCount: 20 << 20 + 1, entryCount: 10_000))
  }

  @Test func `a limit below 16 MiB covers the entries only`() {
    #expect(DiskBudget(sizeLimit: 16 << 20 - 1, overhead: 2 << 20).overhead == 0)
    #expect(DiskBudget(sizeLimit: 16 << 20, overhead: 2 << 20).overhead == 2 << 20)
  }

  @Test(arguments: [1000, 60_000]) func `the whole folder stays within the limit`(byteCount: Int) async throws {
    try await TemporaryDirectory.run { folder in
      let sizeLimit = 16 << 20
      var configuration = DiskCacheConfiguration(sizeLimit: sizeLimit)
      configuration.cleaning.occasions.subtract([.firstUse, .timer])
      let cache = DiskCache(directory: folder, configuration: configuration)
      let entry = StoredEntry(body: Data(repeating: 1, count: byteCount), metadata: .example)
      var largest = 0
      for number in 0..<2500 {
        try await cache.store(entry, for: CacheKey("\(number)"))
        if number.isMultiple(of: 100) { largest = max(largest, try diskUsage(of: folder)) }
        if cache.statistics.evictions[.size, default: 0] > 300 { break }
      }
      #expect(cache.statistics.evictions[.size, default: 0] > 0)
      #expect(max(largest, try diskUsage(of: folder)) <= sizeLimit)
      #expect(try await cache.totalSize > sizeLimit * 3 / 4, "little of the limit is left unused")
    }
  }

  /// The disk space of a folder and its contents in bytes, as `du` counts it.
  private func diskUsage(of folder: URL) throws -> Int {
    let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return ([folder.path()] + names.map { folder.path() + "/" + $0 }).reduce(0) { sum, path in
      var status = stat()
      return lstat(path, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
  }
}
