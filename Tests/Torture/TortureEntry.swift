import HalcyonTestSupport
import HalcyonSupport
import HalcyonCache
import Foundation

/// Entries whose bodies begin with the number of their key and a version, from which all other bytes are derived.
enum TortureEntry {
  static func key(_ number: UInt64) -> CacheKey { CacheKey("|url=\(number)") }

  static func make(number: UInt64, version: UInt64) -> StoredEntry {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    return StoredEntry(
      body: body(number: number, version: version),
      metadata: EntryMetadata(requestDate: date, responseDate: date, tags: ["\(number % 7)"]))
  }

  /// Whether a body is exactly what a writer stored under a key.
  static func isIntact(_ body: Data, number: UInt64) -> Bool {
    guard body.count >= 16 else { return false }
    let (found, version) = body.withUnsafeBytes { bytes in
      (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    return found == number && body == self.body(number: number, version: version)
  }

  private static func body(number: UInt64, version: UInt64) -> Data {
    var random = SplitMix(state: number &* 0x9E37_79B9_7F4A_7C15 ^ version)
    let wordCount = Int(random.next() % 14_975) + 25  // 200 bytes to 120 KB
    var words = [number, version]
    while words.count < wordCount { words.append(random.next()) }
    return words.withUnsafeBytes { Data($0) }
  }
}

extension SplitMix {
  /// The number of a key, Pareto-distributed over 0..<2000: a few are frequent, most are rare.
  mutating func nextKey() -> UInt64 {
    let uniform = Double.random(in: 0.001..<1, using: &self)
    return UInt64(pow(uniform, -1.1) - 1) % 2000
  }
}
