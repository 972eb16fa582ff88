import CZlib

/// The first bytes of an entry's file.
///
/// ```
/// 64 bytes: header | key | metadata slot A | metadata slot B | body
/// ```
/// All numbers are little endian. The header, each slot and the body carry a CRC-32 of their own, so that a flipped or
/// missing byte anywhere makes the entry a miss and never a wrong image.
struct BlobHeader: Equatable {
  static let byteCount = 64
  private static let magic: UInt32 = 0x5943_4C48  // "HLCY"
  private static let version: UInt32 = 1

  var id: UInt64
  var keyByteCount: UInt32
  var slotByteCount: UInt32
  var bodyByteCount: UInt64
  var bodyChecksum: UInt32

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
    writer.append(bodyChecksum)
    writer.append([UInt8](repeating: 0, count: Self.byteCount - 4 - writer.bytes.count))
    writer.append(Checksum.of(writer.bytes))
    return writer.bytes
  }

  init(id: UInt64, keyByteCount: UInt32, slotByteCount: UInt32, bodyByteCount: UInt64, bodyChecksum: UInt32) {
    self.id = id
    self.keyByteCount = keyByteCount
    self.slotByteCount = slotByteCount
    self.bodyByteCount = bodyByteCount
    self.bodyChecksum = bodyChecksum
  }

  /// `nil` when the bytes are no header, or one of another version, or damaged.
  init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    var checksumReader = ByteReader(bytes.suffix(4))
    guard bytes.count == Self.byteCount, checksumReader.number() == Checksum.of(bytes.dropLast(4)),
      reader.number() == Self.magic, reader.number() == Self.version, let id = reader.number(UInt64.self),
      let keyByteCount = reader.number(UInt32.self), let slotByteCount = reader.number(UInt32.self),
      let bodyByteCount = reader.number(UInt64.self), let bodyChecksum = reader.number(UInt32.self),
      bodyByteCount < 1 << 40
    else { return nil }
    self.init(
      id: id, keyByteCount: keyByteCount, slotByteCount: slotByteCount, bodyByteCount: bodyByteCount,
      bodyChecksum: bodyChecksum)
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
