#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A one-time signal that wakes a thread waiting on a socket.
///
/// The waiting thread closes it. Other threads may send at any time; sending after the close has no effect.
final class WakeSignal: Sendable {
  let waitingEnd: Int32
  // `shutdown` reaches the other end even if a child process inherited a copy.
  private let sendingEnd: Monitor<Int32?>

  init() throws(SocketError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else { throw SocketError("socketpair") }
    waitingEnd = ends[0]
    sendingEnd = Monitor(ends[1])
  }

  /// Blocks until the signal is sent or `socket` is readable, which includes a new connection and end of stream.
  ///
  /// - Returns: Whether the signal was sent; if not, reading from `socket` does not block.
  func wait(orReadable socket: Int32) -> Bool {
    var polled = [waitingEnd, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
    return polled[0].revents != 0
  }

  /// Wakes the waiting thread, now or when it waits.
  func send() {
    // The lock keeps the descriptor from being closed and reused meanwhile; `shutdown` does not block.
    sendingEnd.read { end in
      if let end { _ = shutdown(end, Int32(SHUT_RDWR)) }
    }
  }

  /// Closes both descriptors before it returns; call once, after the last wait.
  func close() {
    let end = sendingEnd.update { end in
      defer { end = nil }
      return end
    }
    for descriptor in [waitingEnd, end].compactMap(\.self) { _ = platformClose(descriptor) }
  }
}

// Inside the type, the member of the same name hides the system function.
private let platformClose = close
