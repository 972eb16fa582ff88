public import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A TCP socket on the loopback interface, blocking unless it listens, closed in its `deinit`.
///
/// One thread may send while another receives; writing to a closed peer fails without raising `SIGPIPE`.
public struct Socket: ~Copyable, Sendable {
  public let descriptor: Int32

  /// Takes ownership of an open descriptor.
  public init(adopting descriptor: Int32) {
    self.descriptor = descriptor
    #if canImport(Darwin)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    setOption(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  deinit { close(descriptor) }

  /// Returns the descriptor and gives up its ownership.
  consuming func release() -> Int32 {
    let released = descriptor
    discard self
    return released
  }

  /// A connection to 127.0.0.1.
  public static func connected(toPort port: UInt16) throws(SocketError) -> Socket {
    let socket = try open()
    let status = withLoopbackAddress(port: port) { connect(socket.descriptor, $0, $1) }
    guard status == 0 else { throw SocketError("connect") }
    return socket
  }

  /// A connection attempt to 127.0.0.1, not waited for.
  static func connecting(toPort port: UInt16) throws(SocketError) -> Socket {
    let socket = try open()
    _ = fcntl(socket.descriptor, F_SETFL, O_NONBLOCK)
    _ = withLoopbackAddress(port: port) { connect(socket.descriptor, $0, $1) }
    return socket
  }

  /// A socket bound to a free port of 127.0.0.1 that does not listen: connections to it are refused.
  public static func bound() throws(SocketError) -> Socket {
    let socket = try open()
    let status = withLoopbackAddress(port: 0) { bind(socket.descriptor, $0, $1) }
    guard status == 0 else { throw SocketError("bind") }
    return socket
  }

  /// Listens with a queue of `backlog` connections; `accept()` does not block from now on.
  func startListening(backlog: Int32) throws(SocketError) {
    guard listen(descriptor, backlog) == 0 else { throw SocketError("listen") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// The local port, 0 when the socket has none.
  public var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return status == 0 ? UInt16(bigEndian: address.sin_port) : 0
  }

  /// Sends all of `data`; `false` when the peer has closed the connection.
  public func send(_ data: Data) -> Bool {
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

  /// Blocks until bytes arrive, and returns at most 64 KiB; empty at the end of the stream.
  ///
  /// - Throws: `SocketError` when the connection fails, with `ECONNRESET` when it was reset.
  public func receive() throws(SocketError) -> Data {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count >= 0 { return Data(bytes.prefix(count)) }
      guard errno == EINTR else { throw SocketError("recv") }
    }
  }

  /// Makes closing the socket send RST instead of FIN.
  public func resetWhenClosed() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }
}

extension Socket {
  /// Drops all packets that arrive from now on; without effect on other systems than Linux.
  func dropIncoming() {
    #if os(Linux)
    // A classic BPF program of one instruction, “return 0”: no byte of a packet is accepted.
    var instruction = UInt64(UInt16(0x06).littleEndian)
    withUnsafeMutablePointer(to: &instruction) { pointer in
      var program = (count: UInt16(1), instructions: UnsafeMutableRawPointer(pointer))
      setsockopt(
        descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, socklen_t(MemoryLayout.size(ofValue: program)))
    }
    #endif
  }

  /// The next pending connection, or `nil`.
  func accept() -> Int32? {
    let accepted = platformAccept(descriptor, nil, nil)
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    // On Darwin the accepted socket inherits O_NONBLOCK.
    _ = fcntl(accepted, F_SETFL, 0)
    return accepted < 0 ? nil : accepted
  }

  /// Whether there is a pending connection.
  func hasPending() -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  /// Disables the Nagle algorithm, so that each step of a reply is sent at once.
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

// Inside the type, members of the same name hide the system functions.
private let platformSend = send
private let platformAccept = accept

#if canImport(Darwin)
let streamSocketType = SOCK_STREAM
#else
/// Close-on-exec: a child process that inherits a socket would keep its connection open.
let streamSocketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#endif
