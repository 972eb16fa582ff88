import Foundation

/// Why the disk cache could not do what it was asked.
@nonexhaustive
public enum DiskCacheError: Error, Hashable {
  /// A system call failed; the code is the system's `errno`.
  case system(call: String, path: String, code: Int32)
  /// The index refused, in the words of SQLite.
  case index(reason: String)
  /// The index is no sound database. It is made anew from the entries when this is met.
  case damagedIndex(path: String)
  /// Another process kept the index to itself for longer than two seconds, or half a minute while it made that anew.
  case busy(path: String)
  /// The entry alone is larger than the whole cache may be, in bytes.
  case entryTooLarge(byteCount: Int, sizeLimit: Int)
  /// What is known about the entry, its header fields left out, is larger than a cache keeps beside an image, in bytes.
  case metadataTooLarge(byteCount: Int, limit: Int)
  /// What is pinned, or being written, leaves too little room for the entry, in bytes.
  case noRoom(byteCount: Int, sizeLimit: Int)
}

extension DiskCacheError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .system(let call, let path, let code):
      "\(call) failed for \(path): \(String(cString: strerror(code))). Check the disk's space and the folder's rights."
    case .index(let reason):
      "The index of the disk cache failed: \(reason). Remove the cache's folder if this goes on."
    case .damagedIndex(let path):
      "The index \(path) is damaged. Remove the cache's folder if this goes on."
    case .busy(let path):
      "Another process holds \(path). Check for a process that is stopped, or give each its own folder."
    case .entryTooLarge(let byteCount, let sizeLimit):
      "An entry of \(byteCount) bytes does not fit into the cache's \(sizeLimit). Raise sizeLimit to keep it."
    case .metadataTooLarge(let byteCount, let limit):
      "Tags, address and userInfo of an entry take \(byteCount) bytes, and no more than \(limit) are kept. Shorten them."
    case .noRoom(let byteCount, let sizeLimit):
      "Pinned entries leave no room for \(byteCount) bytes in the cache's \(sizeLimit). Unpin some or raise sizeLimit."
    }
  }
}

extension DiskCacheError {
  /// The system's `errno`, where a system call failed.
  var systemCode: Int32? {
    if case .system(_, _, let code) = self { code } else { nil }
  }

  /// Whether a file or folder is not there.
  var isMissing: Bool { systemCode == ENOENT }

  /// Whether the disk, or the user's share of it, is full.
  var isDiskFull: Bool { systemCode == ENOSPC || systemCode == EDQUOT }
}
