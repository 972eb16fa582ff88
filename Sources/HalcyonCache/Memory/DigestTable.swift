import HalcyonSupport

/// Finds the place of an entry by the digest of its key: a hash table with linear probing.
///
/// Digests are hashed already, so all it takes is spreading them by a number drawn for each table: no one outside can
/// choose keys that crowd one place. The table holds no digests but 32 bits made of each, eight bytes an entry in all, so
/// that more of it stays near the processor; who looks something up compares the digest with that of the entry, which
/// is read next anyway.
struct DigestTable: Sendable {
  private struct Bucket {
    var mark: UInt32
    var place: Int32
  }

  private static let vacant = Bucket(mark: 0, place: -1)

  private let seed = UInt64.random(in: .min ... .max)
  private var buckets = [Bucket](repeating: Self.vacant, count: 16)
  private(set) var count = 0

  /// The place of a digest.
  ///
  /// - Parameter isRight: Whether the entry at a place has this very digest.
  @inline(__always)
  func place(of digest: KeyDigest, where isRight: (Int) -> Bool) -> Int? {
    let mark = mark(of: digest)
    var bucket = home(of: mark)
    while buckets[bucket].place >= 0 {
      if buckets[bucket].mark == mark, isRight(Int(buckets[bucket].place)) { return Int(buckets[bucket].place) }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Adds a digest that is not in the table.
  mutating func insert(_ digest: KeyDigest, place: Int) {
    if (count + 1) * 4 > buckets.count * 3 { grow() }
    add(Bucket(mark: mark(of: digest), place: Int32(place)))
    count += 1
  }

  /// Removes a digest from the place that it was inserted with.
  mutating func remove(_ digest: KeyDigest, place: Int) {
    var hole = home(of: mark(of: digest))
    while buckets[hole].place != place {
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
      let distance = (bucket - home(of: buckets[bucket].mark)) & mask
      if distance >= (bucket - hole) & mask {
        buckets[hole] = buckets[bucket]
        hole = bucket
      }
      bucket = (bucket + 1) & mask
    }
    buckets[hole] = Self.vacant
  }

  private mutating func add(_ new: Bucket) {
    var bucket = home(of: new.mark)
    while buckets[bucket].place >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = new
  }

  private mutating func grow() {
    let old = buckets
    buckets = [Bucket](repeating: Self.vacant, count: old.count * 2)
    for bucket in old where bucket.place >= 0 { add(bucket) }
  }

  @inline(__always)
  private func mark(of digest: KeyDigest) -> UInt32 {
    let spread = (digest.low ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: spread.high ^ spread.low)
  }

  @inline(__always)
  private func home(of mark: UInt32) -> Int {
    Int(mark) & (buckets.count - 1)
  }
}
