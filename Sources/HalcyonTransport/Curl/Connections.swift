#if canImport(CurlShim)
import CurlShim
import Foundation
import HalcyonCore

#if canImport(Glibc)
import Glibc
#endif

/// The connections that libcurl has open; used only on the thread of the loop.
///
/// They are looked at before a request is sent, so that none serves it
/// - on which the server has sent more than its answer to the request before: the rest would be read as the answer to
///   this one;
/// - that the server has closed meanwhile: each would cost an attempt, of which there are five.
///
/// libcurl does both itself from 8.0 on. Before, it reads no further than the length that was announced, and takes such
/// connections for good ones. (What of the rest came in one piece with the end of an encrypted answer is with the TLS
/// library, and is not seen.)
final class OpenConnections {
  /// This end of a connection, as libcurl names it.
  struct End: Hashable {
    let address: String
    let port: Int
  }

  private struct Connection {
    let socket: curl_socket_t
    /// Whether one transfer goes on at a time, as with HTTP/1.
    var isSerial = false
  }

  private var connections: [End: Connection] = [:]

  /// Whether a request may be sent.
  ///
  /// - Parameter opened: The sockets that were opened for it; the connection may also be an earlier one.
  func mayServe(_ end: End, opened: [curl_socket_t]) -> Bool {
    if let known = connections[end] { return !known.isSerial || Self.isSilent(known.socket) }
    if let socket = opened.first(where: { Self.port(of: $0) == end.port }) {
      connections[end] = Connection(socket: socket)
    }
    return true
  }

  /// Notes that an answer of HTTP/1 has begun.
  func noteSerial(_ end: End) { connections[end]?.isSerial = true }

  /// Closes a socket, as libcurl demands.
  func close(_ socket: curl_socket_t) -> Int32 {
    if let end = connections.first(where: { $0.value.socket == socket })?.key { connections[end] = nil }
    return Foundation.close(socket)
  }

  /// Whether a connection is open, and nothing has come that nobody asked for.
  private static func isSilent(_ socket: curl_socket_t) -> Bool {
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

/// Opens the sockets of one transfer, those only that the address policy lets through.
///
/// libcurl asks for each address that it is about to connect to, so there is no connection that was not checked.
struct ConnectionGuard {
  let policy: AddressPolicy
  let url: URL
  /// Why the last address was refused.
  private(set) var refusal: TransportError?
  /// The sockets that were opened.
  private(set) var opened: [curl_socket_t] = []

  init(policy: AddressPolicy, url: URL) {
    self.policy = policy
    self.url = url
  }

  /// A socket for the address, or `nil`.
  mutating func open(_ target: UnsafePointer<curl_sockaddr>) -> curl_socket_t? {
    guard isAllowed(target) else { return nil }
    // Child processes would keep the connection open.
    let kind = target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(target.pointee.family, kind, target.pointee.protocol)
    guard descriptor >= 0 else { return nil }
    opened.append(descriptor)
    return descriptor
  }

  private var host: String { url.host(percentEncoded: false) ?? "" }

  private mutating func isAllowed(_ target: UnsafePointer<curl_sockaddr>) -> Bool {
    guard policy != .any else { return true }
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
    let (bytes, count) = (UnsafeRawPointer(target) + offset, Int(target.pointee.addrlen))
    guard let (address, port) = IPAddress.read(bytes, byteCount: count) else {
      refusal = .addressRefused(address: "a local socket", host: host, reason: "it is no Internet address")
      return false
    }
    guard let reason = policy.refusal(of: address, port: port) else { return true }
    refusal = .addressRefused(address: address.description, host: host, reason: reason)
    return false
  }
}

extension IPAddress {
  /// The address and the port in a socket address; `nil` when it is neither IPv4 nor IPv6.
  fileprivate static func read(_ pointer: UnsafeRawPointer, byteCount: Int) -> (address: IPAddress, port: Int)? {
    switch Int32(pointer.loadUnaligned(as: sockaddr.self).sa_family) {
    case AF_INET where byteCount >= MemoryLayout<sockaddr_in>.size:
      let socket = pointer.loadUnaligned(as: sockaddr_in.self)
      return (IPAddress(v4: UInt32(bigEndian: socket.sin_addr.s_addr)), Int(UInt16(bigEndian: socket.sin_port)))
    case AF_INET6 where byteCount >= MemoryLayout<sockaddr_in6>.size:
      let socket = pointer.loadUnaligned(as: sockaddr_in6.self)
      let number = withUnsafeBytes(of: socket.sin6_addr) { $0.loadUnaligned(as: UInt128.self) }
      return (IPAddress(v6: UInt128(bigEndian: number)), Int(UInt16(bigEndian: socket.sin6_port)))
    default:
      return nil
    }
  }
}
#endif
