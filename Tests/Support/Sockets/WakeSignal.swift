#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Lets one thread wake another out of a wait on a socket, once and for good.
///
/// The one that waits closes it. Others may send at any time, also afterwards, when nothing happens.
final class WakeSignal: Sendable {
  private let waitingEnd: Int32
  // Shutting it down reaches the other end even if a child process inherited a copy.
  private let sendingEnd: Monitor<Int32?>

  init() throws(SocketError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else { throw SocketError("socketpair") }
    waitingEnd = ends[0]
    sendingEnd = Monitor(ends[1])
  }

  /// Blocks until the signal comes or `socket` has something to read, a connection or an end included.
  ///
  /// - Returns: Whether the signal came; when it did not, reading from `socket` does not block.
  func wait(orReadable socket: Int32) -> Bool {
    var polled = [waitingEnd, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
    return polled[0].revents != 0
  }

  /// Wakes the one that waits, now or later.
  func send() {
    // Under the lock the number cannot come to mean another descriptor; shutting down does not block.
    sendingEnd.read { end in
      if let end { _ = shutdown(end, Int32(SHUT_RDWR)) }
    }
  }

  /// Frees both descriptors before it returns; call once, after the last wait.
  func close() {
    let end = sendingEnd.update { end in
      defer { end = nil }
      return end
    }
    for descriptor in [waitingEnd, end].compactMap(\.self) { _ = platformClose(descriptor) }
  }
}

// A member of the same name hides the system's function inside the type.
private let platformClose = close
