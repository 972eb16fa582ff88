/// Address ranges that are not part of the public Internet, with their purposes (IANA's special-purpose address
/// registries, RFC 6890; cloud metadata services).
enum SpecialAddresses {
  /// The purpose of a special address; `nil` for a public one. Completes the sentence “`address` is …”.
  static func purpose(of address: IPAddress) -> String? {
    switch address.family {
    case .v4: return v4.first { $0.range.contains(address) }?.purpose
    case .v6:
      if let purpose = v6.first(where: { $0.range.contains(address) })?.purpose { return purpose }
      if address.isISATAP { return "an IPv4 address embedded in IPv6 (ISATAP)" }
      // Global unicast addresses are allocated from 2000::/3 only.
      return address.number >> 125 == 1 ? nil : "not a global unicast address"
    }
  }

  private static let v4: [(range: AddressRange, purpose: String)] = [
    (v4(0, 0, 0, 0, length: 8), "in “this network” (0.0.0.0/8)"),
    (v4(10, 0, 0, 0, length: 8), "private"),
    (v4(100, 64, 0, 0, length: 10), "shared address space of a provider (CGNAT)"),
    (v4(127, 0, 0, 0, length: 8), "loopback"),
    (v4(168, 63, 129, 16, length: 32), "a cloud metadata service"),
    (v4(169, 254, 0, 0, length: 16), "link-local, the range of cloud metadata services"),
    (v4(172, 16, 0, 0, length: 12), "private"),
    (v4(192, 0, 0, 0, length: 24), "reserved for protocol assignments"),
    (v4(192, 0, 2, 0, length: 24), "reserved for documentation"),
    (v4(192, 88, 99, 0, length: 24), "a 6to4 relay"),
    (v4(192, 168, 0, 0, length: 16), "private"),
    (v4(198, 18, 0, 0, length: 15), "reserved for benchmarks"),
    (v4(198, 51, 100, 0, length: 24), "reserved for documentation"),
    (v4(203, 0, 113, 0, length: 24), "reserved for documentation"),
    (v4(224, 0, 0, 0, length: 4), "multicast"),
    (v4(255, 255, 255, 255, length: 32), "broadcast"),
    (v4(240, 0, 0, 0, length: 4), "reserved"),
  ]

  private static let v6: [(range: AddressRange, purpose: String)] = [
    (v6(0, length: 128), "unspecified"),
    (v6(1, length: 128), "loopback"),
    (v6(0, length: 96), "an IPv4 address embedded in IPv6 (compatible)"),
    (v6(0xffff << 32, length: 96), "an IPv4 address embedded in IPv6 (mapped)"),
    (v6(0x0064_ff9b << 96, length: 96), "an IPv4 address embedded in IPv6 (NAT64)"),
    (v6(0x0064_ff9b_0001 << 80, length: 48), "an IPv4 address embedded in IPv6 (NAT64)"),
    (v6(0x2001_0000 << 96, length: 32), "an IPv4 address embedded in IPv6 (Teredo)"),
    (v6(0x2002 << 112, length: 16), "an IPv4 address embedded in IPv6 (6to4)"),
    (v6(0x2001_0000 << 96, length: 23), "reserved for protocol assignments"),
    (v6(0x2001_0db8 << 96, length: 32), "reserved for documentation"),
    (v6(0x3fff << 112, length: 20), "reserved for documentation"),
    (v6(0xfd00_0ec2 << 96, length: 32), "unique local, the range of cloud metadata services"),
    (v6(0xfc00 << 112, length: 7), "unique local"),
    (v6(0xfe80 << 112, length: 10), "link-local"),
    (v6(0xfec0 << 112, length: 10), "site-local"),
    (v6(0xff00 << 112, length: 8), "multicast"),
  ]

  private static func v4(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, length: Int) -> AddressRange {
    AddressRange(IPAddress(v4: a << 24 | b << 16 | c << 8 | d), prefixLength: length)
  }

  private static func v6(_ number: UInt128, length: Int) -> AddressRange {
    AddressRange(IPAddress(v6: number), prefixLength: length)
  }
}
