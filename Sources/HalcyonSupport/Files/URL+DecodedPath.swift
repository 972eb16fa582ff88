package import Foundation

extension URL {
  /// The bytes of the path, which need not be UTF-8: names of files are bytes.
  package var decodedPath: [UInt8] {
    var bytes: [UInt8] = []
    var rest = path(percentEncoded: true).utf8[...]
    while let byte = rest.popFirst() {
      // Foundation lets no other use of a percent sign into a URL.
      if byte == UInt8(ascii: "%"), let decoded = UInt8(Substring(rest.prefix(2)), radix: 16) {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
