/// An entry whose file is about to be moved into its place.
///
/// ```
/// 8 bytes: number of the file | 16: digest of the key | 4: CRC-32 of both     little endian
/// ```
struct WriteIntent: Equatable {
  static let byteCount = 28
  private static let digestByteCount = 16

  var id: Int64
  var digest: [UInt8]

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(id)
    writer.append(digest)
    writer.append(Checksum.of(writer.bytes))
    return writer.bytes
  }
}

extension WriteIntent {
  /// `nil` when the bytes are damaged, or none.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let content = bytes.dropLast(4)
    var (reader, checksum) = (ByteReader(content), ByteReader(bytes.suffix(4)))
    guard let id = reader.number(Int64.self), checksum.number() == Checksum.of(content) else { return nil }
    self.init(id: id, digest: content.suffix(Self.digestByteCount))
  }
}
