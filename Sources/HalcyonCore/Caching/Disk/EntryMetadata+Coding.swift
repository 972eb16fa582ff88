import Foundation

extension EntryMetadata {
  /// The bytes from which ``init(decoding:)`` makes an equal value.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(url?.absoluteString ?? "")
    writer.append(Int32(clamping: status))
    writer.append(UInt32(clamping: headers.fields.count))
    for field in headers.fields {
      writer.append(field.name)
      writer.append(field.value)
    }
    writer.append(requestDate)
    writer.append(responseDate)
    Self.write(expiration, to: &writer)
    writer.append(UInt32(clamping: tags.count))
    for tag in tags { writer.append(tag) }
    return writer.bytes
  }

  /// `nil` when the bytes are not what ``encoded`` gives.
  init?(decoding bytes: some Sequence<UInt8>) {
    var reader = ByteReader(bytes)
    guard let address = reader.text(), let status = reader.number(Int32.self),
      let fields = reader.list({ reader -> HTTPHeaders.Field? in
        guard let name = reader.text(), let value = reader.text() else { return nil }
        return HTTPHeaders.Field(name: name, value: value)
      }),
      let requestDate = reader.date(), let responseDate = reader.date(),
      let expiration = Self.readExpiration(from: &reader), let tags = reader.list({ $0.text() })
    else { return nil }
    var headers = HTTPHeaders()
    for field in fields { headers.add(name: field.name, value: field.value) }
    self.init(
      url: address.isEmpty ? nil : URL(string: address), status: Int(status), headers: headers,
      requestDate: requestDate, responseDate: responseDate, expiration: expiration.value, tags: tags)
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
