#if canImport(CHalcyonCurlShim)
import CHalcyonCurlShim
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The two descriptors that wake libcurl's poll: sockets, or from 8.5 on a pipe.
///
/// libcurl opens them without close-on-exec before 8.9, so that child processes would inherit them, and has no function that
/// returns them.
enum WakeupDescriptors {
  /// Handles are created one at a time: the descriptors of another one would hold a byte too.
  private static let creation = NSLock()

  /// Creates a multi handle whose descriptors are closed in child processes.
  ///
  /// - Returns: The handle, and the descriptors that have been found.
  static func makeMulti() -> (multi: UnsafeMutableRawPointer?, descriptors: [Int32]) {
    creation.lock()
    defer { creation.unlock() }
    let earlier = Set(inheritedDescriptors())
    guard let multi = curl_multi_init() else { return (nil, []) }
    // Other threads may have opened descriptors meanwhile, for child processes: only libcurl's hold a byte now.
    curl_multi_wakeup(multi)
    let descriptors = inheritedDescriptors().filter { !earlier.contains($0) && holdsByte($0) }
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    curl_multi_poll(multi, nil, 0, 0, nil)
    return (multi, descriptors)
  }

  private static func inheritedDescriptors() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) == 0 }
  }

  /// Whether a pipe or a local socket has exactly one byte to read, or a local socket has sent some that are not read.
  private static func holdsByte(_ descriptor: Int32) -> Bool {
    var (status, unread, unsent) = (stat(), Int32(0), Int32(0))
    guard fstat(descriptor, &status) == 0 else { return false }
    let isPipe = status.st_mode & S_IFMT == S_IFIFO
    guard isPipe || isLocalSocket(descriptor) else { return false }
    if ioctl(descriptor, UInt(FIONREAD), &unread) == 0 && unread == 1 { return true }
    return !isPipe && ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0 && unsent > 0
  }

  private static func isLocalSocket(_ descriptor: Int32) -> Bool {
    var (address, size) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
    return getsockname(descriptor, &address, &size) == 0 && Int32(address.sa_family) == AF_UNIX
  }
}
#endif
