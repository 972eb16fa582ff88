#if canImport(CurlShim)
import HalcyonHTTP
import CurlShim
import Foundation

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
#endif
