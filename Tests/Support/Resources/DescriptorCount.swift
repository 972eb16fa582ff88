import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// Counts the open file descriptors of this process.
///
/// Tests run concurrently in one process: compare counts only inside an exit test, which has a separate process. Run
/// the measured code once before the first count, because libraries open some descriptors at first use and keep them.
public enum DescriptorCount {
  /// The number of files, pipes and sockets open now; O(n) in them.
  ///
  /// On Linux event descriptors are not counted: the runtime opens its own at unpredictable times.
  public static func open() throws -> Int {
    #if canImport(Darwin)
    return try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
      .compactMap { Int32($0) }
      .count { fcntl($0, F_GETFD) != -1 }
    #else
    let folder = "/proc/self/fd"
    // The descriptor used for the listing is closed by now, so its link has no destination.
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
      .count { !$0.hasPrefix("anon_inode:") }
    #endif
  }
}
