public import HalcyonSupport
import Foundation

/// An error of a disk cache.
@nonexhaustive
public enum DiskCacheError: Error, Hashable {
  /// A system call failed; `code` is its `errno`.
  case system(call: String, path: String, code: Int32)
  /// SQLite reported an error, which `reason` quotes.
  case index(reason: String)
  /// The index is damaged. The cache rebuilds it from the entries, so this is thrown only if that fails.
  case damagedIndex(path: String)
  /// The folder contains entries of a newer version of Halcyon, which are neither read nor changed.
  case newerFormat(path: String, format: Int)
  /// Another process held a lock for longer than two seconds, or 30 seconds for a rebuild of the index.
  case busy(path: String)
  /// The entry alone exceeds the size limit of the cache. Sizes are in bytes.
  case entryTooLarge(byteCount: Int, sizeLimit: Int)
  /// The metadata exceeds its limit even without the header fields that HTTP caching does not need. Sizes are in bytes.
  case metadataTooLarge(byteCount: Int, limit: Int)
  /// A folder or file of the cache is a symbolic link, or belongs to another user, who could change it.
  case unsafeFolder(path: String)
  /// Pinned entries and entries being written leave too little space for the entry. Sizes are in bytes.
  case insufficientSpace(byteCount: Int, sizeLimit: Int)
}

extension DiskCacheError: DescribedError {
  /// The cause and what to do about it.
  public var description: String {
    switch self {
    case .system(let call, let path, let code):
      "\(call) failed for \(path): \(String(cString: strerror(code))). "
        + "Check the free disk space and the permissions of the folder."
    case .index(let reason):
      "The index of the disk cache failed: \(reason). Remove the cache's folder if this continues."
    case .damagedIndex(let path):
      "The index \(path) is damaged. The next program that stores an image rebuilds it; remove the folder if this continues."
    case .newerFormat(let path, let format):
      "\(path) has the format \(format) of a newer version of Halcyon. Update this program, or remove the folder of the file."
    case .busy(let path):
      "Another process holds a lock on \(path). Check for a stopped process, or give each process its own folder."
    case .entryTooLarge(let byteCount, let sizeLimit):
      "An entry of \(byteCount.counted("byte")) exceeds the cache's limit of \(sizeLimit). Raise sizeLimit to store it."
    case .metadataTooLarge(let byteCount, let limit):
      "The tags, URL, userInfo and caching fields of an entry take \(byteCount.counted("byte")); the limit is \(limit). Shorten them."
    case .unsafeFolder(let path):
      "\(path) is a symbolic link, or belongs to another user than \(geteuid()), who could change it. "
        + "Remove it, or choose a folder for the cache that this user owns."
    case .insufficientSpace(let byteCount, let sizeLimit):
      "Pinned entries leave less than \(byteCount.counted("byte")) in the cache's \(sizeLimit). Unpin some or raise sizeLimit."
    }
  }
}

/// The result of `body`; `nil` if it throws an expected error.
@discardableResult
func ignoring<Value>(
  _ isExpected: (DiskCacheError) -> Bool, _ body: @autoclosure () throws(DiskCacheError) -> Value?
) throws(DiskCacheError) -> Value? {
  do throws(DiskCacheError) {
    return try body()
  } catch {
    guard isExpected(error) else { throw error }
    return nil
  }
}

extension DiskCacheError {
  /// The `errno` of a failed system call.
  var systemCode: Int32? {
    if case .system(_, _, let code) = self { code } else { nil }
  }

  /// Whether a file or folder does not exist.
  var isMissing: Bool { systemCode == ENOENT }

  /// Whether something that cannot be read is in place of a file: a folder, a file of another user, or a bad block.
  var isUnreadable: Bool { systemCode.map { [EACCES, EPERM, EIO, EISDIR, ENOTDIR, ELOOP].contains($0) } ?? false }

  /// Whether a path leads to no file: to nothing, to a folder, through a file, or in a circle.
  var isNoFile: Bool { systemCode.map { [ENOENT, EISDIR, ENOTDIR, ELOOP].contains($0) } ?? false }

  /// Whether one file could not be changed or removed, while the index is intact and the disk is not full.
  var isLimitedToFile: Bool { systemCode != nil && !isMissing && !isDiskFull }

  /// Whether the disk or the user's quota is full.
  var isDiskFull: Bool { systemCode == ENOSPC || systemCode == EDQUOT }
}
