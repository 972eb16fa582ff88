#if canImport(CHalcyonCurlShim)
import CHalcyonCurlShim
import Foundation
import HalcyonHTTP
@_spi(Programs) import HalcyonSupport

#if canImport(Glibc)
import Glibc
#endif

/// An open connection of libcurl; used only on the loop's thread.
final class OpenConnection {
  /// An end of a connection, as reported by libcurl.
  struct Endpoint: Hashable, Sendable {
    let address: String
    let port: Int
  }

  /// The other end: a server, or a proxy.
  let server: Endpoint
  fileprivate let socket: curl_socket_t
  /// Whether it carries one transfer at a time, as in HTTP/1, without multiplexing.
  private(set) var isSerial = false
  /// When the last byte of a response arrived; `nil` before the first.
  private(set) var lastActivity: ContinuousClock.Instant?
  /// When the first request was sent since then; `nil` if none was.
  private(set) var unansweredSince: ContinuousClock.Instant?

  init(server: Endpoint, socket: curl_socket_t) {
    self.server = server
    self.socket = socket
  }

  /// Records that a request is sent.
  func send(at time: ContinuousClock.Instant) { unansweredSince = unansweredSince ?? time }

  /// Records that bytes of a response have arrived.
  func receive(at time: ContinuousClock.Instant) { (lastActivity, unansweredSince) = (time, nil) }

  /// Whether a request was sent, and nothing has arrived for some time.
  func isSilent(for limit: Duration, at now: ContinuousClock.Instant) -> Bool {
    unansweredSince.map { now >= $0 + limit.clamped } ?? false
  }

  /// Records that an HTTP/1 response has begun.
  func markSerial() { isSerial = true }

  /// Whether the other end has acknowledged all bytes that were sent (TCP).
  var isAcknowledged: Bool {
    var rest: Int32 = 0
    return ioctl(socket, UInt(TIOCOUTQ), &rest) == 0 && rest == 0
  }
}

/// The open connections of libcurl; used only on the loop's thread.
///
/// Before a request is sent over a reused connection, the connection is checked. It is not reused
/// - if the server has sent more than its response to the previous request: the rest would be read as the response to
///   this one;
/// - if the server has closed it: each closed connection would cost one of five attempts.
///
/// libcurl makes both checks itself from 8.0 on. Older versions stop reading at the declared length and consider such a
/// connection reusable. (Excess bytes that arrived in the same TLS record as the end of a response are held by the TLS
/// library and not detected.)
///
/// A connection may be dead without a sign, as after a change of network. It is given up when, within
/// ``firstByteLimit(of:)`` of a request and once more some moments later, no byte has arrived and the other end has not
/// acknowledged the request: the request is sent once more over another connection. A request that was acknowledged is not
/// sent again so early, since some URLs work once; its server is slow.
///
/// A connection may fall silent although its other end acknowledges everything: a stuck server behind a balancer, a box of a
/// mobile network. It is given up when nothing at all has arrived over it for the idle timeout, whether its requests were
/// cancelled meanwhile or not. Those that have waited that long fail, the others are sent once more.
///
/// When a connection is given up, the idle ones to the same server are closed: they are probably dead, too.
final class OpenConnections {
  /// The shortest time in which a reused connection must acknowledge a request.
  private let leastFirstByteLimit: Duration
  private var connections: [OpenConnection.Endpoint: OpenConnection] = [:]
  /// The longest recent times to the first byte.
  private let firstByteTimes = RecentTable<OpenConnection.Endpoint, Duration>(costLimit: 1000)
  private var nextDeadline: ContinuousClock.Instant?

  init(leastFirstByteLimit: Duration) {
    self.leastFirstByteLimit = leastFirstByteLimit
  }

  /// The connection of a local end, if a request may be sent over it.
  ///
  /// - Parameter opened: The sockets opened for this request; the connection may also be a reused one.
  func connection(
    at endpoint: OpenConnection.Endpoint, to server: OpenConnection.Endpoint, opened: [curl_socket_t]
  ) -> (connection: OpenConnection?, maySend: Bool) {
    if let known = connections[endpoint] { return (known, !known.isSerial || Self.isIdle(known.socket)) }
    guard let socket = opened.first(where: { Self.port(of: $0) == endpoint.port }) else { return (nil, true) }
    let connection = OpenConnection(server: server, socket: socket)
    connections[endpoint] = connection
    return (connection, true)
  }

  /// How long a server may take to acknowledge a request over a reused connection: a second, or twice as long as the first
  /// byte of its responses took of late, since its network may be slow.
  func firstByteLimit(of server: OpenConnection.Endpoint) -> Duration {
    max(leastFirstByteLimit, (firstByteTimes[server] ?? .zero) * 2)
  }

  /// Records how long a server took for the first byte of a response.
  func record(firstByteTime: Duration, of server: OpenConnection.Endpoint) {
    firstByteTimes.insert(max(firstByteTime, (firstByteTimes[server] ?? .zero) * 7 / 8), for: server)
  }

  /// Records when a connection has to be checked.
  func expectByte(before deadline: ContinuousClock.Instant) {
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  /// The earliest deadline recorded since the last call.
  func takeDeadline() -> ContinuousClock.Instant? {
    defer { nextDeadline = nil }
    return nextDeadline
  }

  /// Closes the connections that no transfer uses, to a server or to all.
  func closeIdle(to server: OpenConnection.Endpoint? = nil, used: [OpenConnection]) {
    for connection in connections.values where server == nil || connection.server == server {
      if !used.contains(where: { $0 === connection }) { close(connection) }
    }
  }

  /// Closes a connection; libcurl finds that before it would reuse it.
  func close(_ connection: OpenConnection) { shutdown(connection.socket, Int32(SHUT_RDWR)) }

  /// Closes a socket on libcurl's behalf.
  func close(_ socket: curl_socket_t) -> Int32 {
    if let endpoint = connections.first(where: { $0.value.socket == socket })?.key { connections[endpoint] = nil }
    return Foundation.close(socket)
  }

  /// Whether a connection is open and has no unread bytes.
  private static func isIdle(_ socket: curl_socket_t) -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && [EAGAIN, EINTR].contains(errno)
  }

  /// The local port of a socket.
  private static func port(of socket: curl_socket_t) -> Int? {
    withUnsafeTemporaryAllocation(byteCount: MemoryLayout<sockaddr_storage>.size, alignment: 8) { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var count = socklen_t(bytes.count)
      guard getsockname(socket, start.assumingMemoryBound(to: sockaddr.self), &count) == 0 else { return nil }
      return IPAddress.read(start, byteCount: Int(count))?.port
    }
  }
}

/// Opens the sockets of one transfer, only to IP addresses that the address policy allows.
///
/// libcurl calls it for every address that it is about to connect to, so no connection bypasses the policy.
struct ConnectionGuard {
  let policy: AddressPolicy
  let url: URL
  /// Why no connection was made to the last address, if libcurl does not know it.
  private(set) var refusal: TransportError?
  /// The sockets opened so far.
  private(set) var opened: [curl_socket_t] = []

  init(policy: AddressPolicy, url: URL) {
    self.policy = policy
    self.url = url
  }

  /// A socket for the address; `nil` when the policy refuses it or the system has none.
  mutating func open(_ target: UnsafePointer<curl_sockaddr>) -> curl_socket_t? {
    guard isAllowed(target) else { return nil }
    // Otherwise child processes would inherit the descriptor and hold the connection open.
    let kind = target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(target.pointee.family, kind, target.pointee.protocol)
    guard descriptor >= 0 else {
      if [EMFILE, ENFILE].contains(errno) {
        refusal = .connectionFailed(host: host, reason: TransportError.tooManyOpenFiles)
      }
      return nil
    }
    opened.append(descriptor)
    return descriptor
  }

  private var host: String { url.host(percentEncoded: false) ?? "" }

  private mutating func isAllowed(_ target: UnsafePointer<curl_sockaddr>) -> Bool {
    guard policy != .any else { return true }
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
    let (bytes, count) = (UnsafeRawPointer(target) + offset, Int(target.pointee.addrlen))
    guard let (address, port) = IPAddress.read(bytes, byteCount: count) else {
      refusal = .addressRejected(address: "a local socket", host: host, reason: "it is not an IP address")
      return false
    }
    guard let reason = policy.refusal(of: address, port: port) else { return true }
    refusal = .addressRejected(address: address.description, host: host, reason: reason)
    return false
  }
}

extension IPAddress {
  /// The IP address and port of a socket address; `nil` when it is neither IPv4 nor IPv6.
  static func read(_ pointer: UnsafeRawPointer, byteCount: Int) -> (address: IPAddress, port: Int)? {
    switch Int32(pointer.loadUnaligned(as: sockaddr.self).sa_family) {
    case AF_INET where byteCount >= MemoryLayout<sockaddr_in>.size:
      let socket = pointer.loadUnaligned(as: sockaddr_in.self)
      return (IPAddress(v4: UInt32(bigEndian: socket.sin_addr.s_addr)), Int(UInt16(bigEndian: socket.sin_port)))
    case AF_INET6 where byteCount >= MemoryLayout<sockaddr_in6>.size:
      let socket = pointer.loadUnaligned(as: sockaddr_in6.self)
      let address = withUnsafeBytes(of: socket.sin6_addr) { IPAddress(v6: $0) }
      return (address, Int(UInt16(bigEndian: socket.sin6_port)))
    default:
      return nil
    }
  }
}
#endif
