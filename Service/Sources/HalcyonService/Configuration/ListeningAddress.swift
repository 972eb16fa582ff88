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

  /// The host to bind a socket to: where no interface has an address of IPv6, `::` is the same as all of IPv4, since the C
  /// library has no address for it then.
  var hostToBind: String {
    host == "::" && (try? SocketAddress.makeAddressResolvingHost(host, port: 0)) == nil ? "0.0.0.0" : host
  }

  /// The address as it is written.
  public var description: String { host.hasByte(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
