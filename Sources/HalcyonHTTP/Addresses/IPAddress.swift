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
  /// The address as a number, in which the first part of its text is the most significant.
  public let number: UInt128

  /// Creates an IPv4 address from a number: `0x7f000001` is 127.0.0.1.
  public init(v4 number: UInt32) {
    family = .v4
    self.number = UInt128(number)
  }

  /// Creates an IPv6 address from a number: 1 is ::1.
  public init(v6 number: UInt128) {
    family = .v6
    self.number = number
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
      self.init(v6: withUnsafeBytes(of: v6) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
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
    let lowest = UInt32(truncatingIfNeeded: number)
    switch number >> 96 {
    case 0 where [0xffff, 0xffff_0000].contains(number >> 32) || (number >> 32 == 0 && lowest > 1):
      return IPAddress(v4: lowest)
    case 0x0064_ff9b where number >> 32 == 0x0064_ff9b << 64 || number >> 80 == 0x0064_ff9b_0001:
      return IPAddress(v4: lowest)
    case 0x2001_0000: return IPAddress(v4: ~lowest)
    case let high where high >> 16 == 0x2002: return IPAddress(v4: UInt32(truncatingIfNeeded: number >> 80))
    default: return isISATAP ? IPAddress(v4: lowest) : nil
    }
  }

  /// Whether the address tunnels to the IPv4 address in its lowest bits, whatever its prefix (RFC 5214, 6.1).
  var isISATAP: Bool {
    let identifier = UInt32(truncatingIfNeeded: number >> 32)
    return family == .v6 && identifier & ~0x0200_0000 == 0x5efe
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text, for example `192.0.2.1` or `2001:db8::1`.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch family {
    case .v4:
      var address = in_addr(s_addr: UInt32(truncatingIfNeeded: number).bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .v6:
      var address = number.bigEndian
      inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
