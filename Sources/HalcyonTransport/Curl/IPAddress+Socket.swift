#if canImport(CurlShim)
import HalcyonHTTP
import CurlShim
import Foundation

#if canImport(Glibc)
import Glibc
#endif

extension IPAddress {
  /// The address and the port in a socket address; `nil` when it is neither IPv4 nor IPv6.
  static func read(_ pointer: UnsafeRawPointer, byteCount: Int) -> (address: IPAddress, port: Int)? {
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
