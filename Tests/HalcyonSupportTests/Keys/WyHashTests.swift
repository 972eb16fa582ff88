import HalcyonTestTraits
import Testing

@testable import HalcyonSupport

@Suite(.unitTest)
struct WyHashTests {
  /// The vectors published with wyhash, final version 3; the seed of each is its position.
  @Test(
    arguments: [
      (0, "", 0x0409_638E_E2BD_E459), (1, "a", 0xA841_2D09_1B5F_E0A9), (2, "abc", 0x32DD_92E4_B291_5153),
      (3, "message digest", 0x8619_1240_89A3_A16B),
      (4, "abcdefghijklmnopqrstuvwxyz", 0x7A43_AFB6_1D7F_5F40),
      (5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xFF42_329B_90E5_0D58),
      (6, String(repeating: "1234567890", count: 8), 0xC39C_AB13_B115_AAD3),
    ] as [(UInt64, String, UInt64)])
  func `hashes match the published vectors`(seed: UInt64, text: String, expected: UInt64) {
    #expect(Array(text.utf8).withUnsafeBytes { WyHash.hash($0, seed: seed) } == expected)
  }

  @Test(arguments: [1, 3, 4, 16, 17, 48, 49, 96, 97, 200])
  func `a hash depends on every bit and on the length`(count: Int) {
    let bytes = [UInt8](repeating: 0, count: count)
    var hashes: Set<UInt64> = []
    for position in 0..<8 * count {
      var changed = bytes
      changed[position / 8] ^= 1 << UInt8(position % 8)
      hashes.insert(changed.withUnsafeBytes { WyHash.hash($0) })
    }
    for count in 0...count { hashes.insert(bytes.prefix(count).withUnsafeBytes { WyHash.hash($0) }) }
    #expect(hashes.count == 8 * count + count + 1)
  }
}
