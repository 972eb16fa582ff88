import HalcyonSupport
import HalcyonHTTP
import Foundation

/// The header of an entry file.
///
/// ```
/// 64 bytes: header | key | metadata slot A | metadata slot B | body
/// ```
/// All numbers are little endian. The header and each slot contain a ``Checksum`` of their bytes, and the header a wyhash
/// of the body, so that a flipped or missing byte anywhere makes the entry a miss and never a wrong image.
struct EntryFileHeader: Equatable {
  static let byteCount = 64
  private static let magic: UInt32 = 0x5943_4C48  // "HLCY"
  private static let version: UInt32 = 1

  var id: Int64
  var keyByteCount: UInt32
  var slotByteCount: UInt32
  var bodyByteCount: UInt64
  var bodyHash: UInt64
  /// When the file was written, in seconds since 1970.
  var storedTime = 0.0
  var storedDate: Date { Date(timeIntervalSince1970: storedTime) }

  var keyOffset: Int { Self.byteCount }
  func slotOffset(_ slot: Int) -> Int { keyOffset + Int(keyByteCount) + slot * Int(slotByteCount) }
  var bodyOffset: Int { slotOffset(2) }
  /// The size of the complete file.
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
    writer.append(storedTime.bitPattern)
    writer.append([UInt8](repeating: 0, count: Self.byteCount - 4 - writer.bytes.count))
    writer.append(Checksum.of(writer.bytes))
    return writer.bytes
  }
}

extension EntryFileHeader {
  /// `nil` when the bytes do not begin with an undamaged header of this version.
  init?(decoding bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.byteCount - 4)])
    var reader = ByteReader(checked)
    var checksumReader = ByteReader(bytes[(Self.byteCount - 4)..<Self.byteCount])
    guard checksumReader.number() == Checksum.of(checked), reader.number() == Self.magic,
      reader.number() == Self.version, let id = reader.number(Int64.self),
      let keyByteCount = reader.number(UInt32.self), let slotByteCount = reader.number(UInt32.self),
      let bodyByteCount = reader.number(UInt64.self), let bodyHash = reader.number(UInt64.self),
      let storedTime = reader.number(UInt64.self), bodyByteCount < Int.max >> 4
    else { return nil }
    self.init(
      id: id, keyByteCount: keyByteCount, slotByteCount: slotByteCount, bodyByteCount: bodyByteCount,
      bodyHash: bodyHash, storedTime: Double(bitPattern: storedTime))
  }
}

/// One of the two metadata slots in an entry file.
///
/// An update overwrites the older slot, with the next generation, so that a torn write leaves the newer one intact.
struct MetadataSlot: Equatable {
  static let headerByteCount = 16
  /// The size limit of a slot in bytes. Entries with more metadata are stored without the header
  /// fields that HTTP caching does not need.
  static let byteLimit = 64 << 10
  static let payloadByteLimit = byteLimit - headerByteCount
  /// The count and the pin share 32 bits.
  static let largestReadCount = UInt32.max >> 1

  var generation: UInt32
  /// Whether the entry is exempt from eviction.
  var isPinned: Bool
  /// How often the entry was read since it was stored; stops at ``largestReadCount``.
  var readCount: UInt32 = 0
  var payload: [UInt8]

  /// The slot padded to `slotByteCount`; `nil` when the payload does not fit.
  func encoded(slotByteCount: Int) -> [UInt8]? {
    guard Self.headerByteCount + payload.count <= slotByteCount else { return nil }
    var content = ByteWriter()
    content.append(generation)
    content.append(readCount << 1 | (isPinned ? 1 : 0))
    content.append(UInt32(payload.count))
    content.append(payload)
    var writer = ByteWriter()
    writer.append(Checksum.of(content.bytes))
    writer.append(content.bytes)
    writer.append([UInt8](repeating: 0, count: slotByteCount - writer.bytes.count))
    return writer.bytes
  }

  /// The slot size for a payload, in bytes, with space for it to grow by half.
  static func byteCount(for payload: [UInt8]) -> Int {
    let wanted = headerByteCount + payload.count + payload.count / 2
    return min(byteLimit, max(512, (wanted + 255) & ~255))
  }
}

extension MetadataSlot {
  /// `nil` when the slot is empty or damaged.
  init?(decoding bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes.prefix(Self.headerByteCount))
    guard let checksum = reader.number(UInt32.self), let generation = reader.number(UInt32.self),
      let flags = reader.number(UInt32.self), let count = reader.number(UInt32.self),
      count <= bytes.count - Self.headerByteCount,
      checksum == Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[4..<Self.headerByteCount + Int(count)]))
    else { return nil }
    self.init(
      generation: generation, isPinned: flags & 1 == 1, readCount: flags >> 1,
      payload: Array(bytes[Self.headerByteCount..<Self.headerByteCount + Int(count)]))
  }

  /// The newer valid slot of the two, with its index; `nil` when neither is valid.
  static func newest(
    _ bytes: UnsafeRawBufferPointer, slotByteCount: Int
  ) -> (index: Int, slot: MetadataSlot)? {
    guard bytes.count == 2 * slotByteCount else { return nil }
    let halves = [bytes[..<slotByteCount], bytes[slotByteCount...]]
    let slots = halves.enumerated().compactMap { index, half in
      MetadataSlot(decoding: UnsafeRawBufferPointer(rebasing: half)).map { (index: index, slot: $0) }
    }
    // Generations wrap around: their distance is compared.
    return slots.max { Int32(bitPattern: $1.slot.generation &- $0.slot.generation) > 0 }
  }
}

/// An entry encoded for its file, which is not written yet.
struct EntryFileWriter {
  private let header: EntryFileHeader
  private let key: CacheKey
  private let body: Data
  private let payload: [UInt8]
  private let readCount: UInt32
  /// When the entry was stored, if its metadata only is new.
  let stored: Date?

  /// Encodes an entry. If its metadata is too large, the header fields that HTTP caching does not need are left out.
  ///
  /// - Parameter old: The file of the entry, if its metadata only is new.
  /// - Throws: ``DiskCacheError/metadataTooLarge(byteCount:limit:)`` when it is still too large then.
  init(
    _ entry: StoredEntry, key: CacheKey, updating old: EntryFile.Description? = nil
  ) throws(DiskCacheError) {
    var payload = entry.metadata.encoded
    if payload.count > MetadataSlot.payloadByteLimit {
      payload = entry.metadata.withEssentialFields.encoded
      guard payload.count <= MetadataSlot.payloadByteLimit else {
        throw .metadataTooLarge(byteCount: payload.count, limit: MetadataSlot.payloadByteLimit)
      }
    }
    self.key = key
    self.payload = payload
    (readCount, stored) = (old?.slot.readCount ?? 0, old?.stored)
    body = entry.body
    header = EntryFileHeader(
      id: 0, keyByteCount: UInt32(key.text.utf8.count),
      slotByteCount: UInt32(MetadataSlot.byteCount(for: payload)), bodyByteCount: UInt64(entry.body.count),
      bodyHash: entry.body.withUnsafeBytes { WyHash.hash($0) })
  }

  /// The disk space that the file will take, in bytes.
  var diskByteCount: Int { EntryFile.diskByteCount(fileByteCount: header.fileByteCount) }

  /// Writes the whole file.
  func write(
    id: Int64, date: Date, to path: String, in fileSystem: any FileSystem
  ) throws(DiskCacheError) {
    let prefix = prefix(id: id, date: date)
    let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC, in: fileSystem)
    try file.write(prefix, at: 0)
    try file.write(body, at: prefix.count)
    try file.setModificationDate(date)
  }

  /// All bytes before the body.
  private func prefix(id: Int64, date: Date) -> [UInt8] {
    var header = header
    header.id = id
    header.storedTime = (stored ?? date).timeIntervalSince1970
    let count = Int(header.slotByteCount)
    let empty = [UInt8](repeating: 0, count: count)
    let slot = MetadataSlot(generation: 1, isPinned: false, readCount: readCount, payload: payload)
    return header.encoded + Array(key.text.utf8) + (slot.encoded(slotByteCount: count) ?? empty) + empty
  }
}

/// The low half of the wyhash of small parts.
package enum Checksum {
  package static func of(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0)) } ?? of(Array(bytes))
  }

  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 { UInt32(truncatingIfNeeded: WyHash.hash(bytes)) }
}
