package import Foundation

/// A 128-bit digest of a cache key, identical on every machine and in every process.
///
/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012) under a fixed key. It finds entries and names
/// files; equal digests do not prove that the keys are equal, so lookups compare the whole key as well.
@usableFromInline
package struct KeyDigest: Sendable {
  @usableFromInline package let low: UInt64
  @usableFromInline package let high: UInt64

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Hashes the UTF-8 bytes of a text, in O(n).
  package init(_ text: String) {
    var text = text
    self = text.withUTF8 { bytes in KeyDigest(bytes: UnsafeRawBufferPointer(bytes)) }
  }

  /// Hashes bytes, at about one millisecond per megabyte.
  package init(_ data: Data) {
    self = data.withUnsafeBytes { KeyDigest(bytes: $0) }
  }

  /// Hashes bytes, in O(n).
  package init(bytes: UnsafeRawBufferPointer) {
    var state = SipState(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    let wordsEnd = bytes.count & ~7
    for offset in stride(from: 0, to: wordsEnd, by: 8) {
      state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for offset in wordsEnd..<bytes.count {
      last |= UInt64(bytes[offset]) << UInt64(8 * (offset - wordsEnd))
    }
    state.absorb(last)
    (low, high) = state.finish()
  }

  /// The 16 bytes: `low`, then `high`, each in little-endian order.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: (low.littleEndian, high.littleEndian), Array.init)
  }

  /// 32 lowercase hexadecimal digits, valid in file names on every file system.
  package var hexadecimal: String { bytes.hexadecimal }
}

extension KeyDigest: Hashable {
  /// Whether all 128 bits are equal.
  @inlinable
  package static func == (left: KeyDigest, right: KeyDigest) -> Bool {
    left.low == right.low && left.high == right.high
  }

  /// Hashes all 128 bits.
  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    hasher.combine(high)
  }
}

extension Collection<UInt8> {
  /// Two lowercase hexadecimal digits for each byte. Specialised in every module: the disk cache makes file names with
  /// it.
  @inlinable
  package var hexadecimal: String {
    let digits: StaticString = "0123456789abcdef"
    return String(unsafeUninitializedCapacity: 2 * count) { text in
      for (index, byte) in enumerated() {
        text[2 * index] = digits.utf8Start[Int(byte >> 4)]
        text[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
      }
      return 2 * count
    }
  }
}

private struct SipState {
  var v0: UInt64
  var v1: UInt64
  var v2: UInt64
  var v3: UInt64

  init(key: (UInt64, UInt64)) {
    v0 = key.0 ^ 0x736F_6D65_7073_6575
    v1 = key.1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE
    v2 = key.0 ^ 0x6C79_6765_6E65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
  }

  mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func finish() -> (UInt64, UInt64) {
    v2 ^= 0xEE
    for _ in 0..<4 { round() }
    let low = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xDD
    for _ in 0..<4 { round() }
    return (low, v0 ^ v1 ^ v2 ^ v3)
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = v1.rotated(by: 13) ^ v0
    v0 = v0.rotated(by: 32)
    v2 &+= v3
    v3 = v3.rotated(by: 16) ^ v2
    v0 &+= v3
    v3 = v3.rotated(by: 21) ^ v0
    v2 &+= v1
    v1 = v1.rotated(by: 17) ^ v2
    v2 = v2.rotated(by: 32)
  }
}

extension UInt64 {
  @inline(__always)
  fileprivate func rotated(by bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
