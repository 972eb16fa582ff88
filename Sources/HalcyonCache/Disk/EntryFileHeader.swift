import CZlib

/// The first bytes of an entry's file.
///
/// ```
/// 64 bytes: header | key | metadata slot A | metadata slot B | body
/// ```
/// All numbers are little endian. The header and each slot carry a CRC-32 of their own, the body an XXH64, so that a
/// flipped or missing byte anywhere makes the entry a miss and never a wrong image.
struct EntryFileHeader: Equatable {
  static let byteCount = 64
  private static let magic: UInt32 = 0x5943_4C48  // "HLCY"
  private static let version: UInt32 = 2

  var id: Int64
  var keyByteCount: UInt32
  var slotByteCount: UInt32
  var bodyByteCount: UInt64
  var bodyHash: UInt64

  var keyOffset: Int { Self.byteCount }
  func slotOffset(_ slot: Int) -> Int { keyOffset + Int(keyByteCount) + slot * Int(slotByteCount) }
  var bodyOffset: Int { slotOffset(2) }
  /// The size that a whole file has.
  var fileByteCount: Int { bodyOffset + Int(bodyByteCount) }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.magic)
    writer.append(Self.version)
    writer.append(id)
    writer.append(keyByteCount)
    writer.append(slotByteCount)
    writer.append(bodyByteCount)
    writer.append(bodyHash)
    writer.append([UInt8](repeating: 0, count: Self.byteCount - 4 - writer.bytes.count))
    writer.append(Checksum.of(writer.bytes))
    return writer.bytes
  }
}

extension EntryFileHeader {
  /// `nil` when the bytes do not begin with a header, or with one of another version, or a damaged one.
  init?(decoding bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.byteCount - 4)])
    var reader = ByteReader(checked)
    var checksumReader = ByteReader(bytes[(Self.byteCount - 4)..<Self.byteCount])
    guard checksumReader.number() == Checksum.of(checked), reader.number() == Self.magic,
      reader.number() == Self.version, let id = reader.number(Int64.self),
      let keyByteCount = reader.number(UInt32.self), let slotByteCount = reader.number(UInt32.self),
      let bodyByteCount = reader.number(UInt64.self), let bodyHash = reader.number(UInt64.self),
      bodyByteCount < 1 << 40
    else { return nil }
    self.init(
      id: id, keyByteCount: keyByteCount, slotByteCount: slotByteCount, bodyByteCount: bodyByteCount,
      bodyHash: bodyHash)
  }
}

/// The CRC-32 of zlib (ISO 3309).
enum Checksum {
  static func of(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0)) } ?? of(Array(bytes))
  }

  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
  }
}
