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

  /// The text after an ASCII prefix, whose case is ignored; `nil` without it.
  func bytes(afterPrefix prefix: StaticString) -> Substring? {
    let prefix = "\(prefix)".utf8
    func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
    guard utf8.starts(with: prefix, by: { lowercased($0) == $1 }) else { return nil }
    return Substring(self[utf8.index(startIndex, offsetBy: prefix.count)...])
  }
}
