#if canImport(CurlShim)
import HalcyonHTTP
import CurlShim
import Foundation

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
#endif
