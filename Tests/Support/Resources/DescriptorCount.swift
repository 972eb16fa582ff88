import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// How many file descriptors this process has open.
///
/// Tests run side by side in one process: compare counts only inside an exit test, which has a process of its own, and
/// do once before counting what is counted, as libraries open some descriptors at first use and keep them.
package enum DescriptorCount {
  /// The number of files, pipes and sockets open now; O(n) in them.
  ///
  /// On Linux event descriptors do not count: the runtime opens those of its own at no certain time.
  package static func open() throws -> Int {
    #if canImport(Darwin)
    return try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
      .compactMap { Int32($0) }
      .count { fcntl($0, F_GETFD) != -1 }
    #else
    let folder = "/proc/self/fd"
    // The one that listing needed is gone by now and leads nowhere.
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
      .count { !$0.hasPrefix("anon_inode:") }
    #endif
  }
}
