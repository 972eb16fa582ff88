/// One of the two places for metadata in an entry's file.
///
/// An update is written over the older slot with the next generation, so that a torn write leaves the newer one whole.
struct MetadataSlot: Equatable {
  static let headerByteCount = 12
  /// What a slot never grows over, in bytes; answers with larger heads are stored without their header fields.
  static let byteLimit = 64 << 10

  var generation: UInt32
  var payload: [UInt8]

  /// The bytes of a slot, or `nil` when the payload does not fit.
  func encoded(slotByteCount: Int) -> [UInt8]? {
    guard Self.headerByteCount + payload.count <= slotByteCount else { return nil }
    var content = ByteWriter()
    content.append(generation)
    content.append(UInt32(payload.count))
    content.append(payload)
    var writer = ByteWriter()
    writer.append(Checksum.of(content.bytes))
    writer.append(content.bytes)
    writer.append([UInt8](repeating: 0, count: slotByteCount - writer.bytes.count))
    return writer.bytes
  }

  init(generation: UInt32, payload: [UInt8]) {
    self.generation = generation
    self.payload = payload
  }

  /// `nil` when the slot was never written, or is damaged.
  init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes.prefix(Self.headerByteCount))
    guard let checksum = reader.number(UInt32.self), let generation = reader.number(UInt32.self),
      let count = reader.number(UInt32.self), Int(count) <= bytes.count - Self.headerByteCount,
      checksum == Checksum.of(bytes[4..<Self.headerByteCount + Int(count)])
    else { return nil }
    self.init(
      generation: generation, payload: Array(bytes[Self.headerByteCount..<Self.headerByteCount + Int(count)]))
  }

  /// The bytes to reserve for each slot so that a payload may grow by half.
  static func byteCount(for payload: [UInt8]) -> Int {
    let wanted = headerByteCount + payload.count + payload.count / 2
    return min(byteLimit, max(512, (wanted + 255) & ~255))
  }
}
