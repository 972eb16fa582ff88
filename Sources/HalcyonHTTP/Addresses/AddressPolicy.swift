/// The IP addresses and ports that a transport may connect to; protects against SSRF.
///
/// A server that loads user-supplied URLs must not be used to reach its own network: set ``publicInternetOnly`` there.
/// The transport checks the address of every connection and every redirect just before it connects, after name
/// resolution. The policy therefore cannot be bypassed by redirects, DNS rebinding or unusual spellings of an address.
///
/// ```swift
/// var policy = AddressPolicy.publicInternetOnly
/// policy.ports = [80, 443]
/// if let ours = AddressRange("10.20.0.0/16") { policy.allowed.append(ours) }
/// ```
///
/// If an IPv6 address embeds an IPv4 address (see ``IPAddress/embeddedIPv4``), both must pass.
public struct AddressPolicy: Hashable, Sendable {
  /// Which addresses pass if neither ``AddressPolicy/allowed`` nor ``AddressPolicy/denied`` lists them.
  public enum Scope: Hashable, Sendable {
    /// All addresses.
    case any
    /// Addresses of the public Internet.
    ///
    /// Excludes loopback, link-local, private, shared (CGNAT), unique local, multicast and reserved addresses,
    /// addresses for documentation and benchmarks, cloud metadata services, and IPv4 addresses embedded in IPv6.
    case publicInternet
    /// No addresses: only ranges in ``AddressPolicy/allowed`` pass.
    case listed
  }

  /// Which addresses pass that are in neither list. Default: all.
  package var scope: Scope
  /// Ranges that pass regardless of the scope. Default: none.
  public var allowed: [AddressRange]
  /// Ranges that never pass; takes precedence over ``allowed``. Default: none.
  public var denied: [AddressRange]
  /// The ports that may be connected to. Default: `nil`, all.
  public var ports: Set<Int>?

  /// Creates a policy.
  public init(
    scope: Scope = .any, allowed: [AddressRange] = [], denied: [AddressRange] = [], ports: Set<Int>? = nil
  ) {
    self.scope = scope
    self.allowed = allowed
    self.denied = denied
    self.ports = ports
  }

  /// Allows every address: for apps that load URLs of their own user.
  public static let any = AddressPolicy()
  /// Allows addresses of the public Internet only: for servers that load user-supplied URLs.
  public static let publicInternetOnly = AddressPolicy(scope: .publicInternet)

  /// The reason why a connection is refused, in a few words, or `nil` if it is allowed. O(n) in the listed ranges.
  package func refusal(of address: IPAddress, port: Int) -> String? {
    if let ports, !ports.contains(port) {
      return "port \(port) is not one of \(ports.sorted().map(String.init).joined(separator: ", "))"
    }
    guard let reason = refusal(of: address) else { return address.embeddedIPv4.flatMap { refusal(of: $0) } }
    return reason
  }

  private func refusal(of address: IPAddress) -> String? {
    if let range = denied.first(where: { $0.contains(address) }) { return "\(address) is in the denied range \(range)" }
    if allowed.contains(where: { $0.contains(address) }) { return nil }
    switch scope {
    case .any: return nil
    case .listed: return "\(address) is in no allowed range"
    case .publicInternet: return SpecialAddresses.purpose(of: address).map { "\(address) is \($0)" }
    }
  }
}
