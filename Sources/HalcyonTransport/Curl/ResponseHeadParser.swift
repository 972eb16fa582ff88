#if canImport(CHalcyonCurlShim)
import CHalcyonCurlShim
import HalcyonHTTP
import Foundation
import HalcyonSupport

/// Parses the head of a response from the header lines that libcurl delivers one by one.
struct ResponseHeadParser {
  /// The `Content-Length` is not a number: by RFC 9112, 6.3, an error, which browsers overlook.
  struct InvalidLength: Error {}

  /// Whether libcurl reads the chunks of `identity, chunked`, as 7.88 and 8.14 do; 8.5 delivers them with their
  /// lengths.
  static let readsChunksAfterIdentity = {
    let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0
    return !(0x080000..<0x080E00).contains(version)
  }()

  private let byteLimit: Int
  /// Whether a `Content-Length` that is not a number is left out: the body ends with the connection.
  private let ignoresInvalidLength: Bool
  private var byteCount = 0
  private var status = 0
  private var fields: [HTTPHeaders.Field] = []
  private var isDone = false

  init(byteLimit: Int, ignoresInvalidLength: Bool = false) {
    self.byteLimit = byteLimit
    self.ignoresInvalidLength = ignoresInvalidLength
  }

  /// Parses one line.
  ///
  /// - Returns: The head, once, after its last line. Interim responses (100–199) and trailers are skipped.
  ///
  /// - Throws: `TransportError`, or ``InvalidLength``.
  mutating func receive(_ line: UnsafeRawBufferPointer) throws -> Transfer.Head? {
    byteCount += line.count
    guard byteCount <= byteLimit else { throw TransportError.headersTooLarge(byteLimit: byteLimit) }
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
      let (name, value) = (Self.string(text[..<colon]), Self.trimmed(text[(colon + 1)...]))
      let isAddress = name.isEqualIgnoringCase(to: "Location")
      fields.append(HTTPHeaders.Field(name: name, value: isAddress ? Self.address(value) : Self.string(value)))
    }
    return nil
  }

  private mutating func finish() throws -> Transfer.Head? {
    guard status >= 200 else { return nil }
    isDone = true
    for field in fields where field.name.isEqualIgnoringCase(to: "Transfer-Encoding") {
      let codings = Self.transferCodings(field.value)
      let isRead = codings.first != "identity" || !codings.contains("chunked") || Self.readsChunksAfterIdentity
      // No request accepts another coding, and libcurl would decompress it on the thread of all transfers.
      guard isRead, codings.allSatisfy(["chunked", "identity"].contains) else {
        throw TransportError.malformedResponse(
          reason: "only chunked is accepted as Transfer-Encoding, not “\(field.value)”")
      }
    }
    return Transfer.Head(status: status, headers: try headersWithValidLength())
  }

  /// The codings in a value of `Transfer-Encoding`, of which there may be none; only letters of ASCII are in lower case.
  static func transferCodings(_ value: String) -> [String] {
    let codings = value.utf8.split { [UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0) }
    return codings.map { coding in
      let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
      return String(decoding: coding.map { letters.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
  }

  private func headersWithValidLength() throws -> HTTPHeaders {
    var headers = HTTPHeaders(fields)
    guard let length = headers["Content-Length"], headers.contentLength == nil else { return headers }
    // libcurl accepts the sign as well.
    if length.hasPrefix("+"), String(length.dropFirst()).isASCIIDigits {
      headers["Content-Length"] = String(length.dropFirst())
      return headers
    }
    // To choose one of several would allow response splitting and smuggling (RFC 9112, 6.3 and 11.2).
    if length.hasByte(UInt8(ascii: ",")) {
      throw TransportError.malformedResponse(reason: "the Content-Length is “\(length)”")
    }
    guard ignoresInvalidLength else { throw InvalidLength() }
    headers["Content-Length"] = nil
    return headers
  }

  /// A line that begins with white space continues the value of the previous line: line folding (RFC 9112, 5.2).
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

  /// An address in ASCII: other bytes are escaped, so that they are sent as they came.
  private static func address(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return string(bytes) }
    return bytes.map { byte in
      byte < 0x80 ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// Decodes UTF-8, or else Latin-1: field values are Latin-1 by RFC 9110, 5.5, but often UTF-8 in practice.
  private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    // Nearly all values are ASCII, which is far quicker to check than UTF-8.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validUTF8: bytes) ?? String(bytes.map { Character(Unicode.Scalar($0)) })
  }
}
#endif
