/// wyhash with seed 0 (Wang Yi, github.com/wangyi-fudan/wyhash, final version 3): a checksum that detects damaged data
/// at memory speed.
///
/// One multiplication for two words: XXH64, which needs two for each word, takes 1.6 times as long for 100 KB.
package enum WyHash {
  private static let secrets: (UInt64, UInt64, UInt64, UInt64) = (
    0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3
  )

  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    let count = bytes.count
    var state = seed ^ mix(seed ^ secrets.0, secrets.1)
    let (a, b): (UInt64, UInt64)
    if count > 16 {
      var offset = blocks(bytes, &state)
      while count - offset > 16 {
        state = mix(word(bytes, offset) ^ secrets.1, word(bytes, offset + 8) ^ state)
        offset += 16
      }
      (a, b) = (word(bytes, count - 16), word(bytes, count - 8))
    } else if count >= 4 {
      let middle = (count >> 3) << 2
      a = UInt64(half(bytes, 0)) << 32 | UInt64(half(bytes, middle))
      b = UInt64(half(bytes, count - 4)) << 32 | UInt64(half(bytes, count - 4 - middle))
    } else if count > 0 {
      a = UInt64(bytes[0]) << 16 | UInt64(bytes[count >> 1]) << 8 | UInt64(bytes[count - 1])
      b = 0
    } else {
      (a, b) = (0, 0)
    }
    let last = (a ^ secrets.1).multipliedFullWidth(by: b ^ state)
    return mix(last.low ^ secrets.0 ^ UInt64(count), last.high ^ secrets.1)
  }

  /// Hashes blocks of 48 bytes until at most 48 bytes are left; returns the offset of these.
  private static func blocks(_ bytes: UnsafeRawBufferPointer, _ state: inout UInt64) -> Int {
    var (offset, second, third) = (0, state, state)
    while bytes.count - offset > 48 {
      state = mix(word(bytes, offset) ^ secrets.1, word(bytes, offset + 8) ^ state)
      second = mix(word(bytes, offset + 16) ^ secrets.2, word(bytes, offset + 24) ^ second)
      third = mix(word(bytes, offset + 32) ^ secrets.3, word(bytes, offset + 40) ^ third)
      offset += 48
    }
    if offset > 0 { state ^= second ^ third }
    return offset
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The halves of the product, combined.
  @inline(__always)
  private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
