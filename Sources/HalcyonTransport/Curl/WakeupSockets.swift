#if canImport(CHalcyonCurlShim)
import CHalcyonCurlShim
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The pair of sockets that wakes libcurl's poll.
///
/// libcurl opens it without close-on-exec before 8.9, so that child processes would inherit it, and has no function that
/// returns it.
enum WakeupSockets {
  /// One handle is created at a time: the sockets of another would hold a byte, too.
  private static let creation = NSLock()

  /// Creates a multi handle whose sockets are closed in child processes.
  ///
  /// - Returns: The handle, and the sockets that have been found.
  static func makeMulti() -> (multi: UnsafeMutableRawPointer?, sockets: [Int32]) {
    creation.lock()
    defer { creation.unlock() }
    let earlier = Set(inheritedDescriptors())
    guard let multi = curl_multi_init() else { return (nil, []) }
    // Other threads may have opened descriptors meanwhile, for child processes: only libcurl's sockets hold a byte now.
    curl_multi_wakeup(multi)
    let sockets = inheritedDescriptors().filter { !earlier.contains($0) && holdsByte($0) }
    for socket in sockets { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
    curl_multi_poll(multi, nil, 0, 0, nil)
    return (multi, sockets)
  }

  private static func inheritedDescriptors() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) == 0 }
  }

  /// Whether a local socket has exactly one byte to read, or has sent some that are not read.
  private static func holdsByte(_ descriptor: Int32) -> Bool {
    var (family, size) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
    guard getsockname(descriptor, &family, &size) == 0, Int32(family.sa_family) == AF_UNIX else { return false }
    var (unread, unsent): (Int32, Int32) = (0, 0)
    return ioctl(descriptor, UInt(FIONREAD), &unread) == 0 && unread == 1
      || ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0 && unsent > 0
  }
}
#endif
