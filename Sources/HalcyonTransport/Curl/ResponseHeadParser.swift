#if canImport(CurlShim)
import HalcyonHTTP
import Foundation

/// Puts the head of an answer together from the lines that libcurl gives one by one.
struct ResponseHeadParser {
  private let byteLimit: Int
  private var byteCount = 0
  private var status = 0
  private var fields: [HTTPHeaders.Field] = []
  private var isDone = false

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  /// Takes one line.
  ///
  /// - Returns: The head, once, with its last line; interim answers (100–199) are passed over, and so are trailers.
  mutating func receive(_ line: UnsafeRawBufferPointer) throws(TransportError) -> Transfer.Head? {
    byteCount += line.count
    guard byteCount <= byteLimit else { throw .headersTooLarge(byteLimit: byteLimit) }
    guard !isDone else { return nil }
    let text = Self.trimmed(line[...])
    if text.starts(with: "HTTP/".utf8) {
      status = Self.status(in: text)
      fields = []
    } else if text.isEmpty {
      return try finish()
    } else if Self.isSpace(line[0]) {
      continueField(with: text)
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let value = Self.trimmed(text[(colon + 1)...])
      fields.append(HTTPHeaders.Field(name: Self.string(text[..<colon]), value: Self.string(value)))
    }
    return nil
  }

  private mutating func finish() throws(TransportError) -> Transfer.Head? {
    guard status >= 200 else { return nil }
    isDone = true
    let headers = HTTPHeaders(fields)
    if let length = headers["Content-Length"], headers.contentLength == nil {
      // Guessing where the body ends is how one answer is slipped into another (RFC 9112, 6.3 and 11.2).
      throw .malformedResponse(reason: "the Content-Length is “\(length.prefix(100))”")
    }
    return Transfer.Head(status: status, headers: headers)
  }

  /// A line that begins with white space goes on with the value of the one before (RFC 9112, 5.2).
  private mutating func continueField(with text: Slice<UnsafeRawBufferPointer>) {
    guard !fields.isEmpty else { return }
    fields[fields.count - 1].value += " " + Self.string(text)
  }

  private static func status(in line: Slice<UnsafeRawBufferPointer>) -> Int {
    let code = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
    return Int(string(code)) ?? 0
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var rest = bytes.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  /// Field values are Latin-1 for those who do not say otherwise (RFC 9110, 5.5), and often UTF-8 in practice.
  private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    // Nearly always, and far quicker to see than that it is any UTF-8.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(Unicode.Scalar($0)) })
  }
}
#endif
