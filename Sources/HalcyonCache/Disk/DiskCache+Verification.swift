public import Foundation
import HalcyonSupport

/// The result of checking the entries of a disk cache, or the progress of the check.
public struct DiskCacheVerification: Hashable, Sendable {
  /// The number of entries when the check began.
  public internal(set) var totalCount = 0
  /// The number of entries that were read.
  public internal(set) var checkedCount = 0
  /// The disk space of the entries that were read, in bytes.
  public internal(set) var byteCount = 0
  /// The files whose contents do not match their checksums, or that cannot be read.
  public internal(set) var damagedFiles: [URL] = []
}

extension DiskCache {
  /// Reads every entry, and compares it with its checksums.
  ///
  /// Other processes may use the cache meanwhile; an entry that is removed or replaced is not damaged. Does not count as
  /// use, nor in the statistics.
  ///
  /// - Parameters:
  ///   - removesDamaged: Whether damaged entries are removed, as a read would do. Default: no.
  ///   - onProgress: Called after every 64 entries or fewer.
  /// - Throws: ``DiskCacheError`` when the index or the file system fails; `CancellationError` when the task is
  ///   cancelled.
  public func verify(
    removesDamaged: Bool = false, onProgress: (DiskCacheVerification) -> Void = { _ in }
  ) async throws -> DiskCacheVerification {
    try await verify(removesDamaged: removesDamaged, isWhole: { _ in true }, onProgress: onProgress)
  }

  /// Also compares what the entries contain.
  ///
  /// - Parameter isWhole: Whether bytes that match their checksum are a whole image.
  @_spi(Programs) public func verify(
    removesDamaged: Bool, isWhole: @escaping @Sendable (Data) -> Bool,
    onProgress: (DiskCacheVerification) -> Void
  ) async throws -> DiskCacheVerification {
    var result = DiskCacheVerification()
    result.totalCount = try await count
    var last: Int64 = 0
    while true {
      try Task.checkCancellation()
      let files = try await withWriter { [last] writer in try await writer.page(after: last) }
      guard let end = files.last?.id else { return result }
      last = end
      for check in try await readers.run({ [self] flag in try checks(of: files, isWhole, flag) }) {
        result.checkedCount += 1
        result.byteCount += check.byteCount
        guard !check.isIntact else { continue }
        result.damagedFiles.append(URL(filePath: check.file.path.replacing("//", with: "/")))
        guard removesDamaged else { continue }
        if let key = check.cut { try await removeEntry(for: key) }
        try await withWriter { writer in try await writer.removeDamaged(check.file.digest) }
      }
      onProgress(result)
    }
  }

  /// The encoded image of a listed entry; `nil` if it was removed, replaced or damaged since.
  ///
  /// Also of an expired entry. Does not count as use, nor in the statistics.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func body(of entry: DiskCacheEntry) async throws -> Data? {
    let path = layout.entry(entry.key.digest.bytes)
    do {
      let content = try await readers.run { [fileSystem] _ in
        try EntryFile.read(path: path, key: entry.key, in: fileSystem)
      }
      return content.flatMap { $0.id == entry.id ? $0.entry.body : nil }
    } catch let error as DiskCacheError where error.isMissing {
      return nil
    }
  }

  /// A file that was checked. Files that were removed meanwhile are left out.
  private struct Check: Sendable {
    var file: DiskWriter.IndexedFile
    /// Whether it matches its checksums, and is not cut.
    var isIntact: Bool
    /// The key of an image that is cut.
    var cut: CacheKey?
    var byteCount: Int
  }

  private func checks(
    of files: [DiskWriter.IndexedFile], _ isWhole: (Data) -> Bool, _ flag: CancellationFlag
  ) throws -> [Check] {
    var checks: [Check] = []
    for file in files {
      if flag.isCancelled { throw CancellationError() }
      do throws(DiskCacheError) {
        let status = try fileSystem.status(of: file.path)
        let found = try EntryFile.intact(path: file.path, digest: file.digest, in: fileSystem)
        // Removed while it was read.
        if found == nil, access(file.path, F_OK) != 0 { continue }
        // The first part of a download is kept to be completed.
        let isCut = found.map { !$0.key.isOfPartialBody && !isWhole($0.body) } ?? false
        checks.append(
          Check(
            file: file, isIntact: found != nil && !isCut, cut: isCut ? found?.key : nil,
            byteCount: EntryFile.diskByteCount(fileByteCount: Int(status.st_size))))
      } catch {
        if error.isMissing { continue }
        guard error.isUnreadable else { throw error }
        checks.append(Check(file: file, isIntact: false, byteCount: 0))
      }
    }
    return checks
  }
}
