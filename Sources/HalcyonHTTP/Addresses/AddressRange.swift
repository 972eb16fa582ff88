/// The IP addresses with a common prefix, in CIDR notation `10.0.0.0/8` (RFC 4632; RFC 4291, 2.3).
public struct AddressRange: Hashable, Sendable {
  /// The first address of the range.
  package let first: IPAddress
  /// The length of the common prefix in bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
  package let prefixLength: Int

  /// The range of the addresses that share the first `prefixLength` bits with `address`.
  ///
  /// - Parameters:
  ///   - address: Any address of the range.
  ///   - prefixLength: 0 to 32 for IPv4, 0 to 128 for IPv6.
  package init(_ address: IPAddress, prefixLength: Int) {
    let width = address.family.bitWidth
    precondition((0...width).contains(prefixLength), "prefixLength must be 0 to \(width), got \(prefixLength)")
    first = address.prefix(prefixLength)
    self.prefixLength = prefixLength
  }

  /// Parses `10.0.0.0/8` or `fc00::/7`; an address without a length is a range of one. `nil` for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else { return nil }
    let width = address.family.bitWidth
    guard let length = parts.count > 1 ? Int(parts[1]) : width, (0...width).contains(length) else { return nil }
    self.init(address, prefixLength: length)
  }

  /// Whether the range contains an address. An IPv6 range contains no IPv4 addresses.
  public func contains(_ address: IPAddress) -> Bool {
    address.family == first.family && address.prefix(prefixLength) == first
  }
}

extension IPAddress {
  /// The address with its first `length` bits; all others are cleared.
  fileprivate func prefix(_ length: Int) -> IPAddress {
    let cleared = family.bitWidth - length
    let (high, low) = (~UInt64(0) << max(0, cleared - 64), ~UInt64(0) << min(64, cleared))
    return IPAddress(family, self.high & high, self.low & low)
  }
}

extension AddressRange: CustomStringConvertible {
  /// For example `10.0.0.0/8`.
  public var description: String { "\(first)/\(prefixLength)" }
}
