import Foundation

/// The versions of local files: size, inode and the time of the last change, which the system sets: that of the contents may
/// be set to an earlier one, as copies with `cp -p` do.
///
/// Versions that were looked up are remembered, for callers that must not wait for a slow disk. Safe from any thread.
package enum FileVersions {
  /// The versions by the URLs of the files, a few hundred bytes each.
  private static let remembered = RecentTable<String, String>(costLimit: 4096)

  /// The version of a file, by one system call; `nil` if it cannot be found.
  ///
  /// - Parameter url: A `file:` URL.
  package static func current(of url: String) -> String? {
    let version = URL(string: url).flatMap(version)
    if let version { remembered.insert(version, for: url) } else { remembered.remove(url) }
    return version
  }

  /// The version that ``current(of:)`` has found last; `nil` if it has not found the file, or has forgotten it.
  package static func last(of url: String) -> String? { remembered[url] }

  private static func version(of url: URL) -> String? {
    let name = url.decodedPath.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard stat(name, &status) == 0 else { return nil }
    #if canImport(Darwin)
    let date = status.st_ctimespec
    #else
    let date = status.st_ctim
    #endif
    return "\(status.st_size) \(date.tv_sec).\(date.tv_nsec) \(status.st_ino)"
  }
}
