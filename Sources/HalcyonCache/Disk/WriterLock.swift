import Foundation

/// A locked file that shows other processes that a writer is active.
///
/// The system releases the lock when the process ends. The file holds the writer's last ``WriteIntent``: what it leaves
/// unfinished is recovered by others.
final class WriterLock {
  /// The name of the lock file, under which the index records the writer's reservation.
  let name: String
  /// Whether the file is left behind when this object is released, so that others recover from its write intent.
  var keepsFile = false
  private let path: String
  private let file: FileDescriptor
  private let fileSystem: any FileSystem

  /// Whether a file name is one that this class makes.
  static func isName(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let suffix = ".lock".utf8
    guard parts.count == 2, !parts[0].isEmpty, parts[1].count > suffix.count,
      parts[1].suffix(suffix.count).elementsEqual(suffix)
    else { return false }
    return parts[0].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && parts[1].dropLast(suffix.count).allSatisfy(\.isHexadecimalDigit)
  }

  init(layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) {
    name = "\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).lock"
    path = layout.writerLock(name)
    self.fileSystem = fileSystem
    file = try Self.lockedFile(path, in: fileSystem)
  }

  deinit {
    // If this fails, the next process that looks for abandoned writers removes the file.
    if !keepsFile { try? fileSystem.remove(path) }
    // Closing the file would not release the lock while a child process that is being started still has a copy of it.
    _ = try? file.lock(LOCK_UN)
  }

  /// Overwrites the write intent.
  func record(_ intent: WriteIntent) throws(DiskCacheError) {
    try file.write(intent.encoded, at: 0)
  }

  /// The last write intent of a writer; `nil` when it recorded none, or its file is gone.
  static func intent(
    of name: String, layout: DiskLayout, in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> WriteIntent? {
    let content = try ignoring(
      \.isMissing,
      try FileDescriptor(path: layout.writerLock(name), flags: O_RDONLY, in: fileSystem)
        .read(count: WriteIntent.byteCount, at: 0))
    return content.flatMap { WriteIntent(decoding: $0) }
  }

  /// Whether no process holds the lock of this writer. One whose lock file cannot be opened counts as active.
  static func isAbandoned(
    _ name: String, layout: DiskLayout, in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      let file = try FileDescriptor(path: layout.writerLock(name), flags: O_RDWR, in: fileSystem)
      return try file.lock(LOCK_SH | LOCK_NB)
    } catch {
      guard error.isMissing || error.isUnreadable else { throw error }
      return error.isMissing
    }
  }

  /// The names of abandoned writers that left a lock file.
  static func abandonedWriters(
    layout: DiskLayout, in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> Set<String> {
    var names: Set<String> = []
    for name in try fileSystem.names(in: layout.writerLocks) where isName(name) {
      if try isAbandoned(name, layout: layout, in: fileSystem) { names.insert(name) }
    }
    return names
  }

  /// Removes the lock files of abandoned writers that have been recovered; the next recovery removes those that fail.
  static func remove(_ names: Set<String>, layout: DiskLayout, in fileSystem: any FileSystem) {
    for name in names { try? fileSystem.remove(layout.writerLock(name)) }
  }

  /// Creates and locks the file. Retries when another process removed it, as abandoned, before it was locked.
  private static func lockedFile(_ path: String, in fileSystem: any FileSystem) throws(DiskCacheError) -> FileDescriptor
  {
    while true {
      let file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT, in: fileSystem)
      try file.lock(LOCK_EX)
      if try file.status().st_nlink > 0 { return file }
    }
  }
}

/// The journal record of an entry whose file is about to be moved into place.
///
/// ```
/// 8 bytes: number of the file | 16: digest of the key | 4: checksum of both     little endian
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
  /// `nil` when the bytes are damaged or empty.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let content = bytes.dropLast(4)
    var (reader, checksum) = (ByteReader(content), ByteReader(bytes.suffix(4)))
    guard let id = reader.number(Int64.self), checksum.number() == Checksum.of(content) else { return nil }
    self.init(id: id, digest: content.suffix(Self.digestByteCount))
  }
}
