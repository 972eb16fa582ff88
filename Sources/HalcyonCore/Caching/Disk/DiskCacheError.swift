import Foundation

/// Why the disk cache could not do what it was asked.
@nonexhaustive
public enum DiskCacheError: Error, Hashable {
  /// A system call failed; the code is the system's `errno`.
  case system(call: String, path: String, code: Int32)
  /// The index refused, in the words of SQLite.
  case index(reason: String)
  /// The entry alone is larger than the whole cache may be, in bytes.
  case entryTooLarge(byteCount: Int, sizeLimit: Int)
}

extension DiskCacheError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .system(let call, let path, let code):
      "\(call) failed for \(path): \(String(cString: strerror(code))). Check the disk's space and the folder's rights."
    case .index(let reason):
      "The index of the disk cache failed: \(reason). Remove the cache's folder if this goes on."
    case .entryTooLarge(let byteCount, let sizeLimit):
      "An entry of \(byteCount) bytes does not fit into the cache's \(sizeLimit). Raise sizeLimit to keep it."
    }
  }
}
