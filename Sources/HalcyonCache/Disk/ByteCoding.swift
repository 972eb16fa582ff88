import Foundation

/// Writes numbers (little endian), texts and lists for ``ByteReader`` to read.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ text: String) {
    append(UInt32(clamping: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

  mutating func append(_ date: Date) { append(date.timeIntervalSince1970.bitPattern) }
}

/// Reads what ``ByteWriter`` wrote. Every method gives `nil` instead of reading past the end.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    guard let raw = take(MemoryLayout<Number>.size) else { return nil }
    return Number(littleEndian: raw.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
  }

  mutating func text() -> String? {
    guard let count = number(UInt32.self), let raw = take(Int(count)) else { return nil }
    return String(validating: raw, as: UTF8.self)
  }

  mutating func countedBytes() -> [UInt8]? {
    number(UInt32.self).flatMap { take(Int($0)) }.map(Array.init)
  }

  mutating func date() -> Date? {
    number(UInt64.self).map { Date(timeIntervalSince1970: Double(bitPattern: $0)) }
  }

  mutating func list<Element>(_ element: (inout ByteReader) -> Element?) -> [Element]? {
    guard let count = number(UInt32.self) else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let next = element(&self) else { return nil }
      elements.append(next)
    }
    return elements
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
