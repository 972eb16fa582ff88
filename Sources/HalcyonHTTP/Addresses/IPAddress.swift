import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An IPv4 or IPv6 address, without a port.
public struct IPAddress: Hashable, Sendable {
  /// The version of the Internet Protocol.
  public enum Family: Hashable, Sendable {
    /// IPv4.
    case v4
    /// IPv6.
    case v6

    /// The length of an address in bits: 32 or 128.
    public var bitWidth: Int { self == .v4 ? 32 : 128 }
  }

  /// The version of the Internet Protocol.
  public let family: Family
  /// The address as a number of 128 bits; the first part of its text is the most significant. An IPv4 address has 32
  /// bits, in ``low``.
  package let high, low: UInt64

  /// Creates an IPv4 address from a number: `0x7f000001` is 127.0.0.1.
  public init(v4 number: UInt32) {
    self.init(.v4, 0, UInt64(number))
  }

  /// Creates an IPv6 address from its 16 bytes.
  package init(v6 bytes: UnsafeRawBufferPointer) {
    func word(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    self.init(.v6, word(0), word(8))
  }

  init(_ family: Family, _ high: UInt64, _ low: UInt64) {
    (self.family, self.high, self.low) = (family, high, low)
  }

  /// Parses `192.0.2.1` or `2001:db8::1`, strictly: four decimal parts without leading zeros, no brackets, no zone.
  ///
  /// `nil` for anything else, including host names and legacy forms of IPv4 such as `127.1` or `0x7f.1`.
  public init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4: UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self = withUnsafeBytes(of: v6) { IPAddress(v6: $0) }
    } else {
      return nil
    }
  }

  /// The IPv4 address embedded in this IPv6 address, or `nil`.
  ///
  /// Covers IPv4-mapped (::ffff:0:0/96), IPv4-compatible (::/96), IPv4-translated (::ffff:0:0:0/96; RFC 2765), NAT64
  /// (64:ff9b::/96, 64:ff9b:1::/48; RFC 6052, 8215), 6to4 (2002::/16; RFC 3056) and Teredo addresses (2001::/32, the
  /// address of the client; RFC 4380), and ISATAP addresses of any prefix (interface identifier ::5efe:0:0 or
  /// ::200:5efe:0:0; RFC 5214).
  public var embeddedIPv4: IPAddress? {
    guard family == .v6 else { return nil }
    let lowest = UInt32(truncatingIfNeeded: low)
    switch (high >> 32, low >> 32) {
    case (0, 0) where high == 0: if lowest > 1 { return IPAddress(v4: lowest) }
    case (0, 0xffff) where high == 0, (0, 0xffff_0000) where high == 0: return IPAddress(v4: lowest)
    case (0x0064_ff9b, let next) where high & 0xffff_ffff == 0 && next == 0 || high >> 16 == 0x0064_ff9b_0001:
      return IPAddress(v4: lowest)
    case (0x2001_0000, _): return IPAddress(v4: ~lowest)
    case (let first, _) where first >> 16 == 0x2002: return IPAddress(v4: UInt32(truncatingIfNeeded: high >> 16))
    default: break
    }
    return isISATAP ? IPAddress(v4: lowest) : nil
  }

  /// Whether the address tunnels to the IPv4 address in its lowest bits, whatever its prefix (RFC 5214, 6.1).
  var isISATAP: Bool {
    family == .v6 && low >> 32 & ~0x0200_0000 == 0x5efe
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text, for example `192.0.2.1` or `2001:db8::1`.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch family {
    case .v4:
      var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .v6:
      var address = (high.bigEndian, low.bigEndian)
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
