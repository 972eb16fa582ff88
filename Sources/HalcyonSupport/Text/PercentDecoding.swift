package import Foundation

extension ArraySlice<UInt8> {
  /// Text with its percent-encoded bytes decoded. A percent sign that begins no escape stands for itself.
  @_spi(Programs) public var percentDecoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var rest = self
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isHexadecimalDigit),
        let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}

extension URL {
  /// The bytes of the path, which need not be UTF-8: names of files are bytes.
  package var decodedPath: [UInt8] { Array(path(percentEncoded: true).utf8)[...].percentDecoded }
}
