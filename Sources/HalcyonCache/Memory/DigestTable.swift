import HalcyonSupport

/// A hash table with linear probing, from the digest of a key to the slot of its entry.
///
/// A bucket takes eight bytes, so that more of the table fits into the processor's caches: it stores a 32-bit
/// fingerprint instead of the digest, and the caller compares the digest with the one in the entry, which is read next
/// anyway. Fingerprints depend on a random seed of each table, so that keys cannot be crafted to collide.
struct DigestTable: Sendable {
  private struct Bucket {
    var fingerprint: UInt32
    var slot: Int32
  }

  private static let vacant = Bucket(fingerprint: 0, slot: -1)

  private let seed = UInt64.random(in: .min ... .max)
  private var buckets = [Bucket](repeating: Self.vacant, count: 16)
  private(set) var count = 0

  /// The slot of a digest, or `nil`.
  ///
  /// - Parameter isMatch: Whether the entry in a slot has exactly this digest.
  @inline(__always)
  func slot(of digest: KeyDigest, where isMatch: (Int) -> Bool) -> Int? {
    let fingerprint = fingerprint(of: digest)
    var bucket = home(of: fingerprint)
    while buckets[bucket].slot >= 0 {
      if buckets[bucket].fingerprint == fingerprint, isMatch(Int(buckets[bucket].slot)) {
        return Int(buckets[bucket].slot)
      }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Adds a digest that is not in the table.
  mutating func insert(_ digest: KeyDigest, slot: Int) {
    if (count + 1) * 4 > buckets.count * 3 { grow() }
    add(Bucket(fingerprint: fingerprint(of: digest), slot: Int32(slot)))
    count += 1
  }

  /// Removes a digest, given the slot that it was inserted with.
  mutating func remove(_ digest: KeyDigest, slot: Int) {
    var hole = home(of: fingerprint(of: digest))
    while buckets[hole].slot != slot {
      guard buckets[hole].slot >= 0 else { return }
      hole = (hole + 1) & (buckets.count - 1)
    }
    shiftBack(into: hole)
    count -= 1
  }

  /// Moves later buckets of the probe sequence forward, so that no search ends early at the vacated bucket.
  private mutating func shiftBack(into start: Int) {
    let mask = buckets.count - 1
    var hole = start
    var bucket = (hole + 1) & mask
    while buckets[bucket].slot >= 0 {
      let distance = (bucket - home(of: buckets[bucket].fingerprint)) & mask
      if distance >= (bucket - hole) & mask {
        buckets[hole] = buckets[bucket]
        hole = bucket
      }
      bucket = (bucket + 1) & mask
    }
    buckets[hole] = Self.vacant
  }

  private mutating func add(_ new: Bucket) {
    var bucket = home(of: new.fingerprint)
    while buckets[bucket].slot >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = new
  }

  private mutating func grow() {
    let old = buckets
    buckets = [Bucket](repeating: Self.vacant, count: old.count * 2)
    for bucket in old where bucket.slot >= 0 { add(bucket) }
  }

  @inline(__always)
  private func fingerprint(of digest: KeyDigest) -> UInt32 {
    let spread = (digest.low ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: spread.high ^ spread.low)
  }

  @inline(__always)
  private func home(of fingerprint: UInt32) -> Int {
    Int(fingerprint) & (buckets.count - 1)
  }
}
