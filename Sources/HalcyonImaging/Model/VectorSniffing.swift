/// Tells drawings from other text.
enum VectorSniffing {
  /// SVG where the text opens a drawing and is no web page that has one.
  static func format(_ head: [UInt8]) -> ImageFormat? {
    let text = text(head).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    guard text.first == "<" else { return nil }
    let opensAsHTML = text.prefix(15).lowercased().hasPrefix("<!doctype html")
    let opensDrawing = text.contains("<svg") || text.contains(":svg")
    return opensDrawing && !opensAsHTML && !text.lowercased().contains("<html") ? .svg : nil
  }

  /// UTF-8 or, where a byte order mark or a zero byte beside the first bracket tells so, UTF-16.
  private static func text(_ head: [UInt8]) -> String {
    switch (head.first, head.dropFirst().first) {
    case (0xFF, 0xFE), (0x3C, 0x00): utf16(head) { UInt16($0) | UInt16($1) << 8 }
    case (0xFE, 0xFF), (0x00, 0x3C): utf16(head) { UInt16($0) << 8 | UInt16($1) }
    default: String(decoding: head, as: UTF8.self)
    }
  }

  private static func utf16(_ head: [UInt8], unit: (UInt8, UInt8) -> UInt16) -> String {
    String(decoding: stride(from: 0, to: head.count - 1, by: 2).map { unit(head[$0], head[$0 + 1]) }, as: UTF16.self)
  }
}
