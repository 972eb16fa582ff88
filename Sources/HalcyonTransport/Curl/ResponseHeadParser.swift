#if canImport(CurlShim)
import Foundation
import HalcyonCore

/// Puts the head of an answer together from the lines that libcurl gives one by one.
struct ResponseHeadParser {
  private let byteLimit: Int
  private var byteCount = 0
  private var head = Transfer.Head(status: 0, headers: HTTPHeaders())
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
    // Field values are Latin-1 for those who do not say otherwise (RFC 9110, 5.5), and often UTF-8 in practice.
    let text = String(validating: line, as: UTF8.self) ?? String(line.map { Character(Unicode.Scalar($0)) })
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if trimmed.hasPrefix("HTTP/") {
      let parts = trimmed.split(separator: " ", maxSplits: 2)
      head = Transfer.Head(status: parts.count > 1 ? Int(parts[1]) ?? 0 : 0, headers: HTTPHeaders())
    } else if trimmed.isEmpty {
      guard head.status >= 200 else { return nil }
      isDone = true
      return head
    } else if let colon = trimmed.firstIndex(of: ":") {
      head.headers.add(
        name: String(trimmed[..<colon]),
        value: trimmed[trimmed.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    return nil
  }
}
#endif
