import HalcyonImaging
import HalcyonHTTP
import Foundation

extension EntryMetadata {
  /// The bytes from which ``init(decoding:)`` makes an equal value.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(url?.absoluteString ?? "")
    writer.append(Int32(clamping: status))
    writer.append(headers.fields)
    writer.append(requestDate)
    writer.append(responseDate)
    Self.write(expiration, to: &writer)
    writer.append(UInt32(clamping: tags.count))
    for tag in tags { writer.append(tag) }
    // What follows is left out from where there is none of it on.
    let hasPlaceholder = placeholder != nil || userInfo != nil
    let hasVariants = variant != nil || !variants.isEmpty
    if hasVariants || hasPlaceholder { writer.append([variant].compactMap(\.self), variants) }
    if hasPlaceholder { writer.append(counted: placeholder?.bytes ?? []) }
    if let userInfo { writer.append(counted: Array(userInfo)) }
    return writer.bytes
  }

  /// `nil` when the bytes are not what ``encoded`` gives.
  init?(decoding bytes: some Sequence<UInt8>) {
    var reader = ByteReader(bytes)
    guard let address = reader.text(), let status = reader.number(Int32.self),
      let fields = reader.fields(),
      let requestDate = reader.date(), let responseDate = reader.date(),
      let expiration = Self.readExpiration(from: &reader), let tags = reader.list({ $0.text() }),
      let (own, variants) = reader.variants(), let placeholder = reader.placeholder(),
      let userInfo = reader.userInfo()
    else { return nil }
    var headers = HTTPHeaders()
    for field in fields { headers.add(name: field.name, value: field.value) }
    self.init(
      url: address.isEmpty ? nil : URL(string: address), status: Int(status), headers: headers,
      requestDate: requestDate, responseDate: responseDate, expiration: expiration.value, tags: tags,
      variant: own.first, variants: variants, placeholder: placeholder.value, userInfo: userInfo.value)
  }

  private static func write(_ expiration: CacheExpiration?, to writer: inout ByteWriter) {
    switch expiration {
    case nil: writer.append(UInt8(0))
    case .never: writer.append(UInt8(1))
    case .expired: writer.append(UInt8(2))
    case .after(let duration):
      writer.append(UInt8(3))
      writer.append(duration.components.seconds)
      writer.append(duration.components.attoseconds)
    case .date(let date):
      writer.append(UInt8(4))
      writer.append(date)
    }
  }

  private static func readExpiration(from reader: inout ByteReader) -> (value: CacheExpiration?, Void)? {
    switch reader.number(UInt8.self) {
    case 0: return (nil, ())
    case 1: return (.never, ())
    case 2: return (.expired, ())
    case 3:
      guard let seconds = reader.number(Int64.self), let attoseconds = reader.number(Int64.self) else { return nil }
      return (.after(Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)), ())
    case 4: return reader.date().map { (.date($0), ()) }
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

  fileprivate mutating func append(_ lists: [VariantKey]...) {
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

  /// Metadata ends before these where there are none, and where it was written before there could be.
  fileprivate mutating func variants() -> (own: [VariantKey], all: [VariantKey])? {
    guard !isAtEnd else { return ([], []) }
    guard let own = list({ $0.fields().map(VariantKey.init) }), let all = list({ $0.fields().map(VariantKey.init) })
    else { return nil }
    return (own, all)
  }

  /// Metadata ends before this where there is none, and where it was written before there could be.
  fileprivate mutating func placeholder() -> (value: ThumbHash?, Void)? {
    guard !isAtEnd else { return (nil, ()) }
    guard let bytes = countedBytes() else { return nil }
    if bytes.isEmpty { return (nil, ()) }
    return ThumbHash(bytes: bytes).map { ($0, ()) }
  }

  /// Metadata ends before this where there is none, and where it was written before there could be.
  fileprivate mutating func userInfo() -> (value: Data?, Void)? {
    guard !isAtEnd else { return (nil, ()) }
    return countedBytes().map { (Data($0), ()) }
  }
}
