package import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP socket on the loopback interface, blocking unless it listens, closed when it goes away.
///
/// One thread may send while another receives; writing to a peer that left is an ordinary failure, never a signal.
package struct Socket: ~Copyable, Sendable {
  package let descriptor: Int32

  /// Takes over an open descriptor and closes it in the end.
  package init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    #if canImport(Darwin)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    setOption(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  deinit { close(descriptor) }

  /// Gives the descriptor away, to be adopted elsewhere.
  consuming func release() -> Int32 {
    let released = descriptor
    discard self
    return released
  }

  /// A connection to 127.0.0.1.
  package static func connected(toPort port: UInt16) throws(SocketError) -> Socket {
    let socket = try open()
    let status = withLoopbackAddress(port: port) { connect(socket.descriptor, $0, $1) }
    guard status == 0 else { throw SocketError("connect") }
    return socket
  }

  /// The beginning of a connection to 127.0.0.1, whether it is made or not.
  static func connecting(toPort port: UInt16) throws(SocketError) -> Socket {
    let socket = try open()
    _ = fcntl(socket.descriptor, F_SETFL, O_NONBLOCK)
    _ = withLoopbackAddress(port: port) { connect(socket.descriptor, $0, $1) }
    return socket
  }

  /// A socket on a free port of 127.0.0.1 that does not listen: connecting to it is refused.
  static func bound() throws(SocketError) -> Socket {
    let socket = try open()
    let status = withLoopbackAddress(port: 0) { bind(socket.descriptor, $0, $1) }
    guard status == 0 else { throw SocketError("bind") }
    return socket
  }

  /// Lets `backlog` connections queue up; `accept()` does not block from now on.
  func startListening(backlog: Int32) throws(SocketError) {
    guard listen(descriptor, backlog) == 0 else { throw SocketError("listen") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// The port on this side, 0 when the socket has none.
  var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return status == 0 ? UInt16(bigEndian: address.sin_port) : 0
  }

  /// Sends all of `data`; `false` when the peer is gone.
  package func send(_ data: Data) -> Bool {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    return data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let chunk = UnsafeRawBufferPointer(rebasing: rest)
        let count = platformSend(descriptor, chunk.baseAddress, chunk.count, flags)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Blocks for the next bytes, at most 64 KiB: empty at the end.
  ///
  /// - Throws: `SocketError` when the connection broke, `ECONNRESET` for one that was reset.
  package func receive() throws(SocketError) -> Data {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count >= 0 { return Data(bytes.prefix(count)) }
      guard errno == EINTR else { throw SocketError("recv") }
    }
  }

  /// Makes closing send RST instead of FIN.
  package func resetWhenClosed() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }
}

extension Socket {
  /// The next connection, `nil` when none waits.
  func accept() -> Int32? {
    let accepted = platformAccept(descriptor, nil, nil)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    // Darwin passes O_NONBLOCK on.
    _ = fcntl(accepted, F_SETFL, 0)
    return accepted < 0 ? nil : accepted
  }

  /// Sends small writes at once: a test sees each step of a reply.
  func sendWithoutDelay() {
    setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func open() throws(SocketError) -> Socket {
    let descriptor = socket(AF_INET, streamSocketType, 0)
    guard descriptor >= 0 else { throw SocketError("socket") }
    return Socket(adopting: descriptor)
  }

  private static func withLoopbackAddress(
    port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

// Members of the same name hide the system's functions inside the type.
private let platformSend = send
private let platformAccept = accept

#if canImport(Darwin)
let streamSocketType = SOCK_STREAM
#else
/// Closed in child processes from the start: one that inherits a socket would keep its connection open.
let streamSocketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#endif
