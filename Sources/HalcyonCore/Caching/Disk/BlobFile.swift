import Foundation

/// Reads and writes the file of one entry; ``BlobHeader`` says how it is laid out.
enum BlobFile {
  /// Bytes of disk that a file of this size takes, in blocks of 4 KiB, with one more for its name and node.
  static func diskByteCount(fileByteCount: Int) -> Int {
    (fileByteCount + 4095) / 4096 * 4096 + 4096
  }

  /// Everything but the body of the file that an entry makes.
  static func prefix(of entry: StoredEntry, key: CacheKey, id: UInt64) -> (header: BlobHeader, bytes: [UInt8]) {
    var payload = entry.metadata.encoded
    if MetadataSlot.headerByteCount + payload.count > MetadataSlot.byteLimit {
      var reduced = entry.metadata
      reduced.headers = HTTPHeaders()
      payload = reduced.encoded
    }
    let slotByteCount = MetadataSlot.byteCount(for: payload)
    let header = BlobHeader(
      id: id, keyByteCount: UInt32(key.text.utf8.count), slotByteCount: UInt32(slotByteCount),
      bodyByteCount: UInt64(entry.body.count), bodyChecksum: entry.body.withUnsafeBytes { Checksum.of($0) })
    let slot = MetadataSlot(generation: 1, payload: payload).encoded(slotByteCount: slotByteCount)
    let empty = [UInt8](repeating: 0, count: slotByteCount)
    return (header, header.encoded + Array(key.text.utf8) + (slot ?? empty) + empty)
  }

  /// Writes a whole new file.
  static func write(prefix: [UInt8], body: Data, to path: String) throws(DiskCacheError) {
    let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
    try file.write(prefix, at: 0)
    try file.write(body, at: prefix.count)
  }

  /// An entry read back and proven whole.
  struct Content {
    var entry: StoredEntry
    var modified: Date
  }

  /// The entry in a file; `nil` when the file is damaged or holds another key.
  static func read(path: String, key: CacheKey) throws(DiskCacheError) -> Content? {
    let file = try FileDescriptor(path: path, flags: O_RDONLY)
    let status = try file.status()
    guard let header = try header(of: file, fileByteCount: Int(status.st_size), key: key),
      let metadata = try newestSlot(in: file, header: header).flatMap({ EntryMetadata(decoding: $0.slot.payload) }),
      let body = try body(of: file, header: header)
    else { return nil }
    return Content(entry: StoredEntry(body: body, metadata: metadata), modified: status.modificationDate)
  }

  /// Writes new metadata over the older slot; `false` when the file is not this key's, is damaged, or has no room.
  static func updateMetadata(_ metadata: EntryMetadata, path: String, key: CacheKey) throws(DiskCacheError) -> Bool {
    let file = try FileDescriptor(path: path, flags: O_RDWR)
    guard let header = try header(of: file, fileByteCount: Int(file.status().st_size), key: key),
      let newest = try newestSlot(in: file, header: header)
    else { return false }
    let next = MetadataSlot(generation: newest.slot.generation &+ 1, payload: metadata.encoded)
    guard let bytes = next.encoded(slotByteCount: Int(header.slotByteCount)) else { return false }
    try file.write(bytes, at: header.slotOffset(1 - newest.index))
    return true
  }

  private static func header(
    of file: borrowing FileDescriptor, fileByteCount: Int, key: CacheKey
  ) throws(DiskCacheError) -> BlobHeader? {
    let start = try file.read(count: BlobHeader.byteCount + key.text.utf8.count, at: 0)
    guard let header = BlobHeader(decoding: Array(start.prefix(BlobHeader.byteCount))),
      header.fileByteCount == fileByteCount, Int(header.keyByteCount) == key.text.utf8.count,
      start.dropFirst(BlobHeader.byteCount).elementsEqual(key.text.utf8)
    else { return nil }
    return header
  }

  private static func newestSlot(
    in file: borrowing FileDescriptor, header: BlobHeader
  ) throws(DiskCacheError) -> (index: Int, slot: MetadataSlot)? {
    let count = Int(header.slotByteCount)
    let bytes = try file.read(count: 2 * count, at: header.slotOffset(0))
    guard bytes.count == 2 * count else { return nil }
    let first = MetadataSlot(decoding: Array(bytes.prefix(count))).map { (index: 0, slot: $0) }
    let second = MetadataSlot(decoding: Array(bytes.suffix(count))).map { (index: 1, slot: $0) }
    guard let first, let second else { return first ?? second }
    return Int32(bitPattern: second.slot.generation &- first.slot.generation) > 0 ? second : first
  }

  private static func body(of file: borrowing FileDescriptor, header: BlobHeader) throws(DiskCacheError) -> Data? {
    var body = Data(count: Int(header.bodyByteCount))
    let isWhole = try body.withUnsafeMutableBytes { buffer in
      Result { () throws(DiskCacheError) in
        try file.read(into: buffer, at: header.bodyOffset) == buffer.count
          && Checksum.of(UnsafeRawBufferPointer(buffer)) == header.bodyChecksum
      }
    }.get()
    return isWhole ? body : nil
  }
}

extension stat {
  var modificationDate: Date {
    #if canImport(Darwin)
    let time = st_mtimespec
    #else
    let time = st_mtim
    #endif
    return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
  }
}
