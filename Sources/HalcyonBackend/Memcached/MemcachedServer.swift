/// The address of a memcached server.
public struct MemcachedServer: Hashable, Sendable {
  /// The name or the IP address, an IPv6 address without brackets.
  public var host: String
  /// The TCP port. Default: 11211.
  public var port: UInt16

  /// Creates an address.
  public init(host: String, port: UInt16 = 11211) {
    self.host = host
    self.port = port
  }

  /// Parses `host`, `host:port`, `[address]` or `[address]:port`; `nil` for any other text.
  public init?(_ text: String) {
    let isBracketed = text.hasPrefix("[")
    let hostEnd = isBracketed ? text.lastIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
    guard let end = hostEnd else { return nil }
    let host = text[..<end].dropFirst(isBracketed ? 1 : 0)
    let rest = text[end...].dropFirst(isBracketed ? 1 : 0)
    let isPrintable = host.utf8.allSatisfy { (33...126).contains($0) && $0 != UInt8(ascii: "/") }
    guard !host.isEmpty, isPrintable else { return nil }
    if rest.isEmpty {
      self.init(host: String(host))
    } else {
      guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
      self.init(host: String(host), port: port)
    }
  }
}

extension MemcachedServer: CustomStringConvertible {
  /// `host:port`, as ``init(_:)`` parses it.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
