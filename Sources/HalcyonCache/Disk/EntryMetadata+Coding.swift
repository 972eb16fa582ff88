import HalcyonImaging
import HalcyonHTTP
package import Foundation

extension EntryMetadata: Codable {
  /// Decodes what ``encode(to:)`` has encoded.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let metadata = EntryMetadata(decoding: try container.decode(Data.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "These bytes are no entry metadata.")
    }
    self = metadata
  }

  /// Encodes the metadata as one value of bytes, the same as in the files of a ``DiskCache``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(encoded))
  }
}

extension EntryMetadata {
  /// The encoding that ``init(decoding:)`` decodes to an equal value.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(url?.absoluteString ?? "")
    writer.append(Int32(clamping: status))
    writer.append(headers.fields)
    writer.append(requestDate)
    writer.append(responseDate)
    Self.write(expiration, to: &writer)
    writer.append(UInt32(clamping: tags.count))
    for tag in tags { writer.append(tag) }
    writer.append([variant].compactMap(\.self), variants)
    writer.append(counted: placeholder?.bytes ?? [])
    writer.append(userInfo: userInfo)
    writer.append(redirects)
    writer.append(original)
    return writer.bytes
  }

  /// `nil` when the bytes are not an output of ``encoded``.
  package init?(decoding bytes: some Sequence<UInt8>) {
    var reader = ByteReader(bytes)
    guard let url = reader.text(), let status = reader.number(Int32.self),
      let fields = reader.fields(),
      let requestDate = reader.date(), let responseDate = reader.date(),
      let expiration = Self.readExpiration(from: &reader), let tags = reader.list({ $0.text() }),
      let (own, variants) = reader.variants(), let placeholder = reader.placeholder(),
      let userInfo = reader.userInfo(), let redirects = reader.redirects(), let original = reader.original(),
      reader.isAtEnd
    else { return nil }
    self.init(
      url: url.isEmpty ? nil : URL(string: url), status: Int(status), headers: HTTPHeaders(fields),
      requestDate: requestDate, responseDate: responseDate, expiration: expiration, tags: tags,
      placeholder: placeholder, userInfo: userInfo)
    (variant, self.variants, self.redirects, self.original) = (own.first, variants, redirects, original)
  }

  private static func write(_ expiration: CacheExpiration?, to writer: inout ByteWriter) {
    switch expiration {
    case nil: writer.append(UInt8(0))
    case .never: writer.append(UInt8(1))
    case .expired: writer.append(UInt8(2))
    case .after(let duration, since: let start):
      writer.append(UInt8(start == .lastUse ? 3 : 5))
      writer.append(duration.components.seconds)
      writer.append(duration.components.attoseconds)
    case .date(let date):
      writer.append(UInt8(4))
      writer.append(date)
    }
  }

  /// `nil` when the bytes are malformed, and `.some(nil)` for no expiration.
  private static func readExpiration(from reader: inout ByteReader) -> CacheExpiration?? {
    let kind = reader.number(UInt8.self)
    switch kind {
    case 0: return .some(nil)
    case 1: return .never
    case 2: return .expired
    case 3, 5:
      guard let seconds = reader.number(Int64.self), let attoseconds = reader.number(Int64.self) else { return nil }
      let duration = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
      return .after(duration, since: kind == 3 ? .lastUse : .storing)
    case 4: return reader.date().map(CacheExpiration.date)
    default: return nil
    }
  }
}

extension ByteWriter {
  fileprivate mutating func append(_ fields: [HTTPHeaders.Field]) {
    append(UInt32(clamping: fields.count))
    for field in fields {
      append(field.name)
      append(field.value)
    }
  }

  fileprivate mutating func append(counted raw: [UInt8]) {
    append(UInt32(clamping: raw.count))
    append(raw)
  }

  /// An absent value has a count that no data has.
  fileprivate mutating func append(userInfo: Data?) {
    if let userInfo { append(counted: Array(userInfo)) } else { append(UInt32.max) }
  }

  fileprivate mutating func append(_ redirects: [EntryMetadata.Redirect]) {
    append(UInt32(clamping: redirects.count))
    for redirect in redirects {
      append(Int32(clamping: redirect.status))
      append(redirect.headers.fields)
      append(redirect.requestDate)
      append(redirect.responseDate)
    }
  }

  fileprivate mutating func append(_ original: OriginalMark?) {
    append(UInt8(original == nil ? 0 : 1))
    guard let original else { return }
    append(original.received)
    append(original.hash)
  }

  fileprivate mutating func append(_ lists: [VaryKey]...) {
    for list in lists {
      append(UInt32(clamping: list.count))
      for variant in list { append(variant.fields) }
    }
  }
}

extension ByteReader {
  fileprivate mutating func fields() -> [HTTPHeaders.Field]? {
    list { reader in
      guard let name = reader.text(), let value = reader.text() else { return nil }
      return HTTPHeaders.Field(name: name, value: value)
    }
  }

  /// `nil` when the bytes are malformed.
  fileprivate mutating func variants() -> (own: [VaryKey], all: [VaryKey])? {
    guard let own = list({ $0.fields().map(VaryKey.init) }), let all = list({ $0.fields().map(VaryKey.init) })
    else { return nil }
    return (own, all)
  }

  /// `nil` when the bytes are malformed, and `.some(nil)` for no placeholder.
  fileprivate mutating func placeholder() -> ThumbHash?? {
    guard let bytes = countedBytes() else { return nil }
    return bytes.isEmpty ? .some(nil) : ThumbHash(bytes: bytes).map(Optional.some)
  }

  /// `nil` when the bytes are malformed, and `.some(nil)` for no bytes at all.
  fileprivate mutating func userInfo() -> Data?? {
    var reader = self
    if reader.number() == UInt32.max {
      self = reader
      return .some(nil)
    }
    return countedBytes().map { Data($0) }
  }

  /// `nil` when the bytes are malformed.
  fileprivate mutating func redirects() -> [EntryMetadata.Redirect]? {
    list { reader in
      guard let status = reader.number(Int32.self), let fields = reader.fields(), let requestDate = reader.date(),
        let responseDate = reader.date()
      else { return nil }
      return EntryMetadata.Redirect(
        status: Int(status), headers: HTTPHeaders(fields), requestDate: requestDate, responseDate: responseDate)
    }
  }

  /// `nil` when the bytes are malformed, and `.some(nil)` for no mark.
  fileprivate mutating func original() -> OriginalMark?? {
    switch number(UInt8.self) {
    case 0: return .some(nil)
    case 1:
      guard let received = date(), let hash = number(UInt64.self) else { return nil }
      return OriginalMark(received: received, hash: hash)
    default: return nil
    }
  }
}

/// Encodes numbers (little endian), text and dates; ``ByteReader`` decodes them.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ text: String) {
    append(UInt32(clamping: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

  package mutating func append(_ date: Date) { append(date.timeIntervalSince1970.bitPattern) }
}

/// Decodes the output of ``ByteWriter``. Methods return `nil` instead of reading past the end.
package struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package var isAtEnd: Bool { position == bytes.count }

  package mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    guard let range = take(MemoryLayout<Number>.size) else { return nil }
    return bytes.withUnsafeBytes { bytes in
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: Number.self))
    }
  }

  package mutating func text() -> String? {
    guard let count = number(UInt32.self), let range = take(Int(clamping: count)) else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      let text = UnsafeBufferPointer(rebasing: bytes[range])
      // Nearly all text is ASCII, for which the validation below would take most of the time of a small read.
      let isASCII = text.reduce(0, |) < 0x80
      return isASCII ? String(decoding: text, as: UTF8.self) : String(validUTF8: text)
    }
  }

  package mutating func countedBytes() -> [UInt8]? {
    number(UInt32.self).flatMap { take(Int(clamping: $0)) }.map { Array(bytes[$0]) }
  }

  package mutating func date() -> Date? {
    number(UInt64.self).map { Date(timeIntervalSince1970: Double(bitPattern: $0)) }
  }

  package mutating func list<Element>(_ element: (inout ByteReader) -> Element?) -> [Element]? {
    guard let count = number(UInt32.self) else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let next = element(&self) else { return nil }
      elements.append(next)
    }
    return elements
  }

  /// The range of the next bytes, which are then behind the position.
  private mutating func take(_ count: Int) -> Range<Int>? {
    guard count <= bytes.count - position else { return nil }
    defer { position += count }
    return position..<position + count
  }
}
