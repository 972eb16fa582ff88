/// Finds the place of an entry by the digest of its key: a hash table with linear probing.
///
/// Digests are hashed already, so all it takes is spreading them by a number drawn for each table: no one outside can
/// choose keys that crowd one place.
struct DigestTable: Sendable {
  private struct Bucket {
    var digest: KeyDigest
    var place: Int32
  }

  private static let vacant = Bucket(digest: KeyDigest(low: 0, high: 0), place: -1)

  private let seed = UInt64.random(in: .min ... .max)
  private var buckets = [Bucket](repeating: Self.vacant, count: 16)
  private(set) var count = 0

  @inline(__always)
  func place(of digest: KeyDigest) -> Int? {
    var bucket = home(of: digest)
    while buckets[bucket].place >= 0 {
      if buckets[bucket].digest == digest { return Int(buckets[bucket].place) }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Adds a digest that is not in the table.
  mutating func insert(_ digest: KeyDigest, place: Int) {
    if (count + 1) * 4 > buckets.count * 3 { grow() }
    add(Bucket(digest: digest, place: Int32(place)))
    count += 1
  }

  mutating func remove(_ digest: KeyDigest) {
    var hole = home(of: digest)
    while buckets[hole].digest != digest || buckets[hole].place < 0 {
      guard buckets[hole].place >= 0 else { return }
      hole = (hole + 1) & (buckets.count - 1)
    }
    close(hole)
    count -= 1
  }

  /// Moves later buckets forward, so that no search ends before what it looks for.
  private mutating func close(_ start: Int) {
    let mask = buckets.count - 1
    var hole = start
    var bucket = (hole + 1) & mask
    while buckets[bucket].place >= 0 {
      let distance = (bucket - home(of: buckets[bucket].digest)) & mask
      if distance >= (bucket - hole) & mask {
        buckets[hole] = buckets[bucket]
        hole = bucket
      }
      bucket = (bucket + 1) & mask
    }
    buckets[hole] = Self.vacant
  }

  private mutating func add(_ new: Bucket) {
    var bucket = home(of: new.digest)
    while buckets[bucket].place >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = new
  }

  private mutating func grow() {
    let old = buckets
    buckets = [Bucket](repeating: Self.vacant, count: old.count * 2)
    for bucket in old where bucket.place >= 0 { add(bucket) }
  }

  @inline(__always)
  private func home(of digest: KeyDigest) -> Int {
    let spread = (digest.low ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: spread.high ^ spread.low) & (buckets.count - 1)
  }
}
