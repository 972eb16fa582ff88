/// One of the two places for metadata in an entry's file.
///
/// An update is written over the older slot with the next generation, so that a torn write leaves the newer one whole.
struct MetadataSlot: Equatable {
  static let headerByteCount = 16
  /// What a slot never grows over, in bytes; answers with larger heads are stored without their header fields.
  static let byteLimit = 64 << 10
  static let payloadByteLimit = byteLimit - headerByteCount

  var generation: UInt32
  /// Whether the entry is kept when others are evicted.
  var isPinned: Bool
  var payload: [UInt8]

  /// The bytes of a slot, or `nil` when the payload does not fit.
  func encoded(slotByteCount: Int) -> [UInt8]? {
    guard Self.headerByteCount + payload.count <= slotByteCount else { return nil }
    var content = ByteWriter()
    content.append(generation)
    content.append(UInt32(isPinned ? 1 : 0))
    content.append(UInt32(payload.count))
    content.append(payload)
    var writer = ByteWriter()
    writer.append(Checksum.of(content.bytes))
    writer.append(content.bytes)
    writer.append([UInt8](repeating: 0, count: slotByteCount - writer.bytes.count))
    return writer.bytes
  }

  /// The bytes to reserve for each slot so that a payload may grow by half.
  static func byteCount(for payload: [UInt8]) -> Int {
    let wanted = headerByteCount + payload.count + payload.count / 2
    return min(byteLimit, max(512, (wanted + 255) & ~255))
  }
}

extension MetadataSlot {
  /// `nil` when the slot was never written, or is damaged.
  init?(decoding bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes.prefix(Self.headerByteCount))
    guard let checksum = reader.number(UInt32.self), let generation = reader.number(UInt32.self),
      let flags = reader.number(UInt32.self), let count = reader.number(UInt32.self),
      Int(count) <= bytes.count - Self.headerByteCount,
      checksum == Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[4..<Self.headerByteCount + Int(count)]))
    else { return nil }
    self.init(
      generation: generation, isPinned: flags & 1 == 1,
      payload: Array(bytes[Self.headerByteCount..<Self.headerByteCount + Int(count)]))
  }

  /// The newer of two slots and where it is.
  static func newest(
    _ bytes: UnsafeRawBufferPointer, slotByteCount: Int
  ) -> (index: Int, slot: MetadataSlot)? {
    guard bytes.count == 2 * slotByteCount else { return nil }
    let halves = [bytes[..<slotByteCount], bytes[slotByteCount...]]
    let slots = halves.enumerated().compactMap { index, half in
      MetadataSlot(decoding: UnsafeRawBufferPointer(rebasing: half)).map { (index: index, slot: $0) }
    }
    // Generations wrap around, so that their distance decides.
    return slots.max { Int32(bitPattern: $1.slot.generation &- $0.slot.generation) > 0 }
  }
}
