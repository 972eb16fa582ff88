import HalcyonSupport
import Foundation

/// Reads the file of one entry; ``EntryFileHeader`` says how it is laid out.
enum EntryFile {
  static let blockByteCount = 4096
  /// Memory that is taken for a file because of its size alone; what is larger has to say so itself.
  private static let largestTrustedByteCount = 16 << 20

  /// Bytes of disk that a file of this size takes, in blocks of 4 KiB, with one more for its name, its node and its rows
  /// in the index.
  static func diskByteCount(fileByteCount: Int) -> Int {
    (fileByteCount + 2 * blockByteCount - 1) / blockByteCount * blockByteCount
  }

  /// An entry read back and proven whole.
  struct Content {
    var id: Int64
    var entry: StoredEntry
    var modified: Date
  }

  /// The entry in a file; `nil` when the file is damaged or holds another key.
  static func read(
    path: String, key: CacheKey, in fileSystem: any FileSystem = SystemFiles()
  ) throws(DiskCacheError) -> Content? {
    try read(FileDescriptor(path: path, flags: O_RDONLY, in: fileSystem), key: key)
  }

  /// The entry in an open file; `nil` when it is damaged, holds another key, or is larger than `byteLimit`.
  static func read(
    _ file: borrowing FileDescriptor, key: CacheKey, byteLimit: Int = .max
  ) throws(DiskCacheError) -> Content? {
    let status = try file.status()
    let count = Int(status.st_size)
    guard count >= EntryFileHeader.byteCount, count <= byteLimit else { return nil }
    if count > Self.largestTrustedByteCount {
      let start = try file.read(count: EntryFileHeader.byteCount, at: 0)
      guard start.withUnsafeBytes({ EntryFileHeader(decoding: $0) })?.fileByteCount == count else { return nil }
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    var isGivenAway = false
    defer { if !isGivenAway { bytes.deallocate() } }
    guard try file.read(into: bytes, at: 0) == count,
      let header = EntryFileHeader(decoding: UnsafeRawBufferPointer(bytes)), header.fileByteCount == count,
      bytes[header.keyOffset..<header.slotOffset(0)].elementsEqual(key.text.utf8),
      let (_, slot) = MetadataSlot.newest(slots(of: header, in: bytes), slotByteCount: Int(header.slotByteCount)),
      let metadata = EntryMetadata(decoding: slot.payload)
    else { return nil }
    let body = UnsafeMutableRawBufferPointer(rebasing: bytes[header.bodyOffset...])
    guard XXHash64.hash(UnsafeRawBufferPointer(body)) == header.bodyHash else { return nil }
    guard let start = body.baseAddress, !body.isEmpty else {
      return Content(
        id: header.id, entry: StoredEntry(body: Data(), metadata: metadata), modified: status.modificationDate)
    }
    // The body is handed out where it lies, so that it is not copied.
    isGivenAway = true
    let data = Data(bytesNoCopy: start, count: body.count, deallocator: .custom { _, _ in bytes.deallocate() })
    return Content(id: header.id, entry: StoredEntry(body: data, metadata: metadata), modified: status.modificationDate)
  }

  /// What a file says about itself; the body is not read.
  struct Description {
    var header: EntryFileHeader
    var key: CacheKey
    var metadata: EntryMetadata
    var slotIndex: Int
    var slot: MetadataSlot
    var modified: Date

    var diskByteCount: Int { EntryFile.diskByteCount(fileByteCount: header.fileByteCount) }
  }

  /// What a file says about itself; `nil` when it is damaged.
  static func describe(
    path: String, in fileSystem: any FileSystem = SystemFiles()
  ) throws(DiskCacheError) -> Description? {
    try describe(FileDescriptor(path: path, flags: O_RDONLY, in: fileSystem))
  }

  /// Whether a file is there, whole, and holds what its name says.
  static func isWhole(
    path: String, digest: [UInt8], in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      guard let description = try describe(path: path, in: fileSystem), description.key.digest.bytes == digest else {
        return false
      }
      return try read(path: path, key: description.key, in: fileSystem) != nil
    } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }

  /// How a change of what is known about an entry ended.
  enum Update {
    /// Written; what was known before is handed out.
    case done(id: Int64, old: EntryMetadata)
    /// The file is damaged or holds another key.
    case absent
    /// The file has too little room for it.
    case tooLarge
  }

  /// Writes new metadata over the older slot. `nil` values stay as they are.
  static func update(
    metadata: EntryMetadata? = nil, isPinned: Bool? = nil, isDurable: Bool = false, path: String, key: CacheKey,
    in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Update {
    let file = try FileDescriptor(path: path, flags: O_RDWR, in: fileSystem)
    // Two writers at once would choose the same slot.
    try file.lock(LOCK_EX, for: .seconds(2))
    guard let old = try describe(file), old.key == key else { return .absent }
    let slot = MetadataSlot(
      generation: old.slot.generation &+ 1, isPinned: isPinned ?? old.slot.isPinned,
      payload: metadata?.encoded ?? old.slot.payload)
    guard let bytes = slot.encoded(slotByteCount: Int(old.header.slotByteCount)) else { return .tooLarge }
    try file.write(bytes, at: old.header.slotOffset(1 - old.slotIndex))
    // The life of the entry counts from there.
    try file.setModificationDate(old.modified)
    if isDurable { try file.sync() }
    return .done(id: old.header.id, old: old.metadata)
  }

  private static func describe(_ file: borrowing FileDescriptor) throws(DiskCacheError) -> Description? {
    let status = try file.status()
    // Most keys and slots are far shorter, so that one read is enough.
    var start = try file.read(count: 4096, at: 0)
    guard let header = start.withUnsafeBytes({ EntryFileHeader(decoding: $0) }),
      header.fileByteCount == Int(status.st_size)
    else { return nil }
    if header.bodyOffset > start.count { start = try file.read(count: header.bodyOffset, at: 0) }
    return start.withUnsafeMutableBytes { bytes in
      guard header.bodyOffset <= bytes.count,
        let text = String(validating: bytes[header.keyOffset..<header.slotOffset(0)], as: UTF8.self),
        let (index, slot) = MetadataSlot.newest(slots(of: header, in: bytes), slotByteCount: Int(header.slotByteCount)),
        let metadata = EntryMetadata(decoding: slot.payload)
      else { return nil }
      return Description(
        header: header, key: CacheKey(text), metadata: metadata, slotIndex: index, slot: slot,
        modified: status.modificationDate)
    }
  }

  private static func slots(of header: EntryFileHeader, in bytes: UnsafeMutableRawBufferPointer)
    -> UnsafeRawBufferPointer
  {
    UnsafeRawBufferPointer(rebasing: bytes[header.slotOffset(0)..<header.bodyOffset])
  }
}
