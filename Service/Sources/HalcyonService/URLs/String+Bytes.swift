import Foundation

extension StringProtocol {
  /// The bytes of a percent-encoded text; `nil` if a percent sign begins no encoded byte.
  var percentDecoded: [UInt8]? { decoded(after: "%") }

  /// The bytes of a source from `String(sourceBytes:)`.
  var sourceBytes: [UInt8]? { decoded(after: "\0") }

  /// The bytes, where two hexadecimal digits after a sign are one byte; `nil` for a sign without them.
  private func decoded(after sign: Unicode.Scalar) -> [UInt8]? {
    let parts = Substring(self).utf8.split(separator: UInt8(ascii: sign), omittingEmptySubsequences: false)
    var bytes = Array(parts[0])
    for part in parts.dropFirst() {
      let digits = part.prefix(2)
      guard digits.count == 2, digits.allSatisfy(\.isHexadecimal), let byte = UInt8(Substring(digits), radix: 16)
      else { return nil }
      bytes.append(byte)
      bytes += part.dropFirst(2)
    }
    return bytes
  }

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

extension String {
  /// The text of a source, which may have any bytes but NUL; `nil` for others.
  ///
  /// If the bytes are not UTF-8, those outside ASCII are written as a NUL and two hexadecimal digits.
  init?(sourceBytes bytes: some Collection<UInt8>) {
    guard !bytes.contains(0) else { return nil }
    let text = String(validating: bytes, as: UTF8.self)
    self =
      text
      ?? bytes.map { $0 < 128 ? String(UnicodeScalar($0)) : "\0" + String($0, radix: 16, uppercase: true) }.joined()
  }

  /// A source whose bytes that are not UTF-8 are percent-encoded.
  var withEncodedBytes: String { replacing("\0", with: "%") }
}

extension UInt8 {
  /// Whether the byte is a hexadecimal digit of ASCII.
  var isHexadecimal: Bool { (48...57).contains(self) || (97...102).contains(self | 0x20) }
}
