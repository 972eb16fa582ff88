import Foundation

extension StringProtocol {
  /// The parts between an ASCII character, also empty ones.
  ///
  /// Compares bytes, as file systems, servers and signatures do: a slash that a combining mark follows is a slash, though
  /// not the `Character` `/`.
  func parts(between separator: Unicode.Scalar) -> [String] {
    Substring(self).utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
  }

  /// Whether an ASCII character is among the bytes.
  func hasByte(_ character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }

  /// Whether the bytes are the same. Equal texts may differ in their bytes, such as `é` and `e` with a combining mark.
  func hasSameBytes(as other: some StringProtocol) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
          return left.count == right.count
        }
        return memcmp(start, other, left.count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// The text after an ASCII prefix, whose case is ignored; `nil` without it.
  func bytes(afterPrefix prefix: StaticString) -> Substring? {
    let prefix = "\(prefix)".utf8
    func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
    guard utf8.starts(with: prefix, by: { lowercased($0) == $1 }) else { return nil }
    return Substring(self[utf8.index(startIndex, offsetBy: prefix.count)...])
  }
}
