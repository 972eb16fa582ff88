import HalcyonSupport
import Foundation

/// Reads, checks and updates entry files; ``EntryFileHeader`` describes their layout.
enum EntryFile {
  static let blockByteCount = 4096
  /// The most memory allocated because of the size of a file alone; the header of a larger file must confirm its size.
  private static let unconfirmedByteLimit = 16 << 20

  /// The disk space counted for a file of this size: blocks of 4 KiB, and one more for its name, its inode and its rows
  /// in the index.
  static func diskByteCount(fileByteCount: Int) -> Int {
    (fileByteCount + 2 * blockByteCount - 1) / blockByteCount * blockByteCount
  }

  /// An entry whose checksums were verified.
  struct Content {
    var id: Int64
    var entry: StoredEntry
    var stored: Date
    /// The last use of the entry, except for accesses that are pending.
    var modified: Date
  }

  /// The entry in a file; `nil` when the file is damaged or holds another key.
  static func read(
    path: String, key: CacheKey, in fileSystem: any FileSystem = SystemFiles()
  ) throws(DiskCacheError) -> Content? {
    try read(FileDescriptor(path: path, flags: O_RDONLY, in: fileSystem), key: key)
  }

  /// The entry in an open file; `nil` when it is damaged, of another user, holds another key, or is larger than
  /// `byteLimit`.
  static func read(
    _ file: borrowing FileDescriptor, key: CacheKey, byteLimit: Int = .max
  ) throws(DiskCacheError) -> Content? {
    let status = try file.status()
    let count = Int(status.st_size)
    guard status.isRegularFile, status.isTrusted, count >= EntryFileHeader.byteCount, count <= byteLimit else {
      return nil
    }
    if count > Self.unconfirmedByteLimit {
      let start = try file.read(count: EntryFileHeader.byteCount, at: 0)
      guard start.withUnsafeBytes({ EntryFileHeader(decoding: $0) })?.fileByteCount == count else { return nil }
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    var isOwnedByData = false
    defer { if !isOwnedByData { bytes.deallocate() } }
    var text = key.text
    guard try file.read(into: bytes, at: 0) == count,
      let header = EntryFileHeader(decoding: UnsafeRawBufferPointer(bytes)), header.fileByteCount == count,
      text.withUTF8({ bytes[header.keyOffset..<header.slotOffset(0)].elementsEqual($0) }),
      let (_, slot) = MetadataSlot.newest(slots(of: header, in: bytes), slotByteCount: Int(header.slotByteCount)),
      let metadata = EntryMetadata(decoding: slot.payload)
    else { return nil }
    let body = UnsafeMutableRawBufferPointer(rebasing: bytes[header.bodyOffset...])
    guard WyHash.hash(UnsafeRawBufferPointer(body)) == header.bodyHash else { return nil }
    guard let start = body.baseAddress, !body.isEmpty else {
      return Content(
        id: header.id, entry: StoredEntry(body: Data(), metadata: metadata), stored: header.storedDate,
        modified: status.modificationDate)
    }
    // The data refers to the body inside the buffer, without a copy.
    isOwnedByData = true
    let data = Data(bytesNoCopy: start, count: body.count, deallocator: .custom { _, _ in bytes.deallocate() })
    return Content(
      id: header.id, entry: StoredEntry(body: data, metadata: metadata), stored: header.storedDate,
      modified: status.modificationDate)
  }

  /// The header, key and metadata of a file; the body is not read.
  struct Description {
    var header: EntryFileHeader
    var key: CacheKey
    var metadata: EntryMetadata
    var slotIndex: Int
    var slot: MetadataSlot
    var modified: Date

    var stored: Date { header.storedDate }
    var diskByteCount: Int { EntryFile.diskByteCount(fileByteCount: header.fileByteCount) }
  }

  /// The description of a file; `nil` when it is damaged, or of another user.
  static func describe(
    path: String, in fileSystem: any FileSystem = SystemFiles()
  ) throws(DiskCacheError) -> Description? {
    try describe(FileDescriptor(path: path, flags: O_RDONLY, in: fileSystem))
  }

  /// Whether a file exists, is undamaged, and holds the key with this digest. Reads the whole file.
  static func isIntact(
    path: String, digest: [UInt8], in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Bool {
    try intact(path: path, digest: digest, in: fileSystem) != nil
  }

  /// The key and the body of a file; `nil` unless it exists, is undamaged, and holds the key with this digest.
  static func intact(
    path: String, digest: [UInt8], in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> (key: CacheKey, body: Data)? {
    guard let key = try ignoring(\.isMissing, try describe(path: path, in: fileSystem))?.key,
      key.digest.bytes == digest,
      let content = try ignoring(\.isMissing, try read(path: path, key: key, in: fileSystem))
    else { return nil }
    return (key, content.entry.body)
  }

  /// The result of an update of the metadata.
  enum Update {
    /// Written; `old` is the replaced metadata, and `stored` the date of the body.
    case updated(id: Int64, old: EntryMetadata, stored: Date)
    /// The file is damaged or holds another key.
    case noEntry
    /// The metadata is larger than its slot.
    case slotTooSmall
  }

  /// Overwrites the older metadata slot. `nil` leaves a value unchanged.
  static func update(
    metadata: EntryMetadata? = nil, isPinned: Bool? = nil, path: String, key: CacheKey,
    in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Update {
    let file = try FileDescriptor(path: path, flags: O_RDWR, in: fileSystem)
    // Two concurrent writers would overwrite the same slot.
    try file.lock(LOCK_EX, timeout: .seconds(2))
    guard let old = try describe(file), old.key == key else { return .noEntry }
    var slot = old.slot
    slot.isPinned = isPinned ?? slot.isPinned
    slot.payload = metadata?.encoded ?? slot.payload
    // The modification date records the last use.
    guard try write(slot, over: old, lastUse: old.modified, to: file) else { return .slotTooSmall }
    return .updated(id: old.header.id, old: old.metadata, stored: old.stored)
  }

  /// Adds reads to the count of an entry, and sets its last use.
  ///
  /// - Returns: Whether the reads were added; `false` while another writer holds the lock of the file.
  static func recordReads(
    _ count: Int, lastUse: Date, path: String, key: CacheKey, in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Bool {
    let file = try FileDescriptor(path: path, flags: O_RDWR, in: fileSystem)
    guard try file.lock(LOCK_EX | LOCK_NB), let old = try describe(file), old.key == key else { return false }
    var slot = old.slot
    slot.readCount += min(UInt32(clamping: count), MetadataSlot.largestReadCount - slot.readCount)
    return try write(slot, over: old, lastUse: lastUse, to: file)
  }

  /// Overwrites the older slot; `false` if the content is larger.
  private static func write(
    _ slot: MetadataSlot, over old: Description, lastUse: Date, to file: borrowing FileDescriptor
  ) throws(DiskCacheError) -> Bool {
    var slot = slot
    slot.generation = old.slot.generation &+ 1
    guard let bytes = slot.encoded(slotByteCount: Int(old.header.slotByteCount)) else { return false }
    try file.write(bytes, at: old.header.slotOffset(1 - old.slotIndex))
    try file.setModificationDate(lastUse)
    return true
  }

  private static func describe(_ file: borrowing FileDescriptor) throws(DiskCacheError) -> Description? {
    let status = try file.status()
    guard status.isRegularFile, status.isTrusted else { return nil }
    // Most keys and slots are far shorter, so that one read suffices.
    var start = try file.read(count: 4096, at: 0)
    guard let header = start.withUnsafeBytes({ EntryFileHeader(decoding: $0) }),
      header.fileByteCount == Int(status.st_size)
    else { return nil }
    if header.bodyOffset > start.count { start = try file.read(count: header.bodyOffset, at: 0) }
    return start.withUnsafeMutableBytes { bytes in
      guard header.bodyOffset <= bytes.count,
        let text = String(validUTF8: bytes[header.keyOffset..<header.slotOffset(0)]),
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

/// Reads entry files on the calling thread when the kernel has them in memory, so that no call waits for the disk.
///
/// All other files are left to a thread that may block. Switching to such a thread and back takes longer than the read
/// itself. Linux has the system calls (5.12 and later); other systems, tmpfs, network and FUSE file systems do not.
final class NonblockingReads: Sendable {
  /// The file size in bytes above which verifying the checksum takes longer than the saved thread switch.
  private static let byteLimit = 192 << 10

  private enum Support {
    case unknown, available, unavailable
  }

  private let support = Lock(Support.unknown)

  /// Determines, once, whether a folder allows nonblocking reads. May block.
  func checkSupport(of folder: String, in fileSystem: any FileSystem) {
    guard support.withLock({ $0 == .unknown }), let isRemote = try? fileSystem.isRemote(folder) else { return }
    support.withLock { $0 = isRemote ? .unavailable : .available }
  }

  /// The entry in a file; `nil` when the read would block, or the file is missing, too large, damaged or holds another
  /// key.
  func read(path: String, key: CacheKey, in fileSystem: any FileSystem) -> EntryFile.Content? {
    guard support.withLock({ $0 == .available }) else { return nil }
    do throws(DiskCacheError) {
      let file = try FileDescriptor(nonblocking: path, in: fileSystem)
      return try EntryFile.read(file, key: key, byteLimit: Self.byteLimit)
    } catch {
      if let code = error.systemCode, [ENOSYS, EOPNOTSUPP, EPERM, EINVAL].contains(code) {
        support.withLock { $0 = .unavailable }
      }
      return nil
    }
  }
}
