import NIOCore

/// A host and a port to listen on.
public struct ListeningAddress: Hashable, Sendable, CustomStringConvertible {
  /// The name or address of an interface.
  public var host: String
  /// The port; 0 is any free port.
  public var port: Int

  /// Creates an address.
  public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// Parses `HOST:PORT`, `[IPV6]:PORT`, or `:PORT`, which is all interfaces, of IPv6 and of IPv4.
  init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let port = Int(text[colon...].dropFirst()),
      (0...65_535).contains(port)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    self.init(host: host.isEmpty ? "::" : host, port: port)
  }

  /// The address to bind a socket to.
  ///
  /// Only a name is looked up: the C library has no address of a family that no network of this machine has, so that `::` and
  /// `::1` would not be found beside a network of IPv4.
  var socketAddress: SocketAddress {
    get throws {
      try (try? SocketAddress(ipAddress: host, port: port)) ?? .makeAddressResolvingHost(host, port: port)
    }
  }

  /// The address as it is written.
  public var description: String { host.hasByte(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
