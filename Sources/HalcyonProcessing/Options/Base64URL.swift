public import Foundation

/// URL-safe Base64 (RFC 4648, 5), with or without padding.
@_spi(Programs) public enum Base64URL {
  /// The bytes of a text, or `nil` if it is not Base64.
  public static func decode(_ text: some StringProtocol) -> Data? {
    var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    while standard.hasSuffix("=") { standard.removeLast() }
    guard standard.utf8.count % 4 != 1 else { return nil }
    standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    return Data(base64Encoded: standard)
  }

  /// The text of bytes, without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    return String(text.filter { $0 != "=" })
  }
}
