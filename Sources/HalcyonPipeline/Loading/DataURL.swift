import Foundation

/// The bytes inside a `data:` address (RFC 2397).
enum DataURL {
  static func decode(_ address: String) throws(ImageError) -> Data {
    guard address.prefix(5).lowercased() == "data:", let comma = address.firstIndex(of: ",") else {
      throw .invalidDataURL(reason: "there is no comma after the type")
    }
    let parameters = address[address.index(address.startIndex, offsetBy: 5)..<comma].split(separator: ";")
    guard let bytes = percentDecoded(address[address.index(after: comma)...].utf8) else {
      throw .invalidDataURL(reason: "a percent sign is not followed by two hexadecimal digits")
    }
    guard parameters.last?.lowercased() == "base64" else { return bytes }
    guard let decoded = Data(base64Encoded: padded(bytes)) else {
      throw .invalidDataURL(reason: "what follows the comma is not base64")
    }
    return decoded
  }

  private static func percentDecoded(_ text: some Sequence<UInt8>) -> Data? {
    var bytes = Data()
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = iterator.next(), let low = iterator.next(),
        let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
    }
    return bytes
  }

  /// Base64 as people paste it: white space and missing padding are forgiven, and the alphabet for addresses is known.
  private static func padded(_ text: Data) -> Data {
    var symbols = text.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: " "), 9, 10, 13: nil
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while symbols.count % 4 != 0 { symbols.append(UInt8(ascii: "=")) }
    return Data(symbols)
  }
}
