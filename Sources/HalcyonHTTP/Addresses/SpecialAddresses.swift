/// Address ranges that are not part of the public Internet, with their purposes (IANA's special-purpose address
/// registries, RFC 6890; cloud metadata services).
enum SpecialAddresses {
  /// The purpose of a special address; `nil` for a public one. Completes the sentence “`address` is …”.
  static func purpose(of address: IPAddress) -> String? {
    if let purpose = ranges.first(where: { $0.range.contains(address) })?.purpose { return purpose }
    if address.isISATAP { return "an IPv4 address embedded in IPv6 (ISATAP)" }
    // Global unicast addresses of IPv6 are allocated from 2000::/3 only.
    return address.family == .v4 || address.high >> 61 == 1 ? nil : "not a global unicast address"
  }

  /// More specific ranges come before those that contain them.
  private static let ranges: [(range: AddressRange, purpose: String)] = [
    ("0.0.0.0/8", "in “this network” (0.0.0.0/8)"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared address space of a provider (CGNAT)"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "a cloud metadata service"),
    ("169.254.0.0/16", "link-local, the range of cloud metadata services"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved for protocol assignments"),
    ("192.0.2.0/24", "reserved for documentation"),
    ("192.88.99.0/24", "a 6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "reserved for benchmarks"),
    ("198.51.100.0/24", "reserved for documentation"),
    ("203.0.113.0/24", "reserved for documentation"),
    ("224.0.0.0/4", "multicast"),
    ("255.255.255.255/32", "broadcast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::/96", "an IPv4 address embedded in IPv6 (compatible)"),
    ("::ffff:0:0/96", "an IPv4 address embedded in IPv6 (mapped)"),
    ("64:ff9b::/96", "an IPv4 address embedded in IPv6 (NAT64)"),
    ("64:ff9b:1::/48", "an IPv4 address embedded in IPv6 (NAT64)"),
    ("2001::/32", "an IPv4 address embedded in IPv6 (Teredo)"),
    ("2002::/16", "an IPv4 address embedded in IPv6 (6to4)"),
    ("2001::/23", "reserved for protocol assignments"),
    ("2001:db8::/32", "reserved for documentation"),
    ("3fff::/20", "reserved for documentation"),
    ("fd00:ec2::/32", "unique local, the range of cloud metadata services"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
  ].map { text, purpose in
    guard let range = AddressRange(text) else { preconditionFailure("\(text) is not a range of addresses") }
    return (range, purpose)
  }
}
