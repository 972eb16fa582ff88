/// XXH64 with seed 0 (Yann Collet, xxhash.com): a checksum that detects damaged data at memory speed.
package enum XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var offset = 0
    var hash = bytes.count >= 32 ? stripes(bytes, &offset) : prime5
    hash &+= UInt64(bytes.count)
    while offset + 8 <= bytes.count {
      hash = rotate(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if offset + 4 <= bytes.count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotate(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.count {
      hash = rotate(hash ^ UInt64(bytes[offset]) &* prime5, 11) &* prime1
      offset += 1
    }
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }

  /// Four accumulators over all whole stripes of 32 bytes, merged into one.
  private static func stripes(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64 {
    var (a, b, c, d) = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
    while offset + 32 <= bytes.count {
      a = round(a, word(bytes, offset))
      b = round(b, word(bytes, offset + 8))
      c = round(c, word(bytes, offset + 16))
      d = round(d, word(bytes, offset + 24))
      offset += 32
    }
    let sum = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
    return merge(merge(merge(merge(sum, a), b), c), d)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ sum: UInt64, _ word: UInt64) -> UInt64 { rotate(sum &+ word &* prime2, 31) &* prime1 }

  private static func merge(_ hash: UInt64, _ sum: UInt64) -> UInt64 { (hash ^ round(0, sum)) &* prime1 &+ prime4 }

  @inline(__always)
  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 &- bits) }
}
