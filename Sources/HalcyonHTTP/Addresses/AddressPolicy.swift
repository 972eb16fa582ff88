/// Which machines a transport may connect to.
///
/// A server that loads addresses given by its users must not become their way into its own network: use
/// ``publicInternetOnly`` there. The transport asks the policy about the address that it is about to connect to, after
/// names have been resolved, for every connection of every hop; so neither a redirect, nor a name that suddenly leads
/// elsewhere, nor an unusual spelling of an address gets past it.
///
/// ```swift
/// var policy = AddressPolicy.publicInternetOnly
/// policy.ports = [80, 443]
/// if let ours = AddressRange("10.20.0.0/16") { policy.allowed.append(ours) }
/// ```
///
/// An IPv6 address that holds an IPv4 address (see ``IPAddress/embeddedIPv4``) has to pass as what it is *and* as what
/// it holds.
public struct AddressPolicy: Hashable, Sendable {
  /// Which addresses pass that are in no list.
  public enum Scope: Hashable, Sendable {
    /// All.
    case any
    /// Those of the public Internet: not loopback, link-local, private, shared, unique local, multicast, reserved, for
    /// documentation, of metadata services, nor IPv4 inside IPv6.
    case publicInternet
    /// None of them: only what is in ``AddressPolicy/allowed``.
    case listed
  }

  /// Which addresses pass that are in no list. Default: any.
  public var scope: Scope
  /// Ranges that pass whatever the scope. Default: none.
  public var allowed: [AddressRange]
  /// Ranges that never pass, also when they are allowed. Default: none.
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

  /// Refuses nothing: for programs that load what their own user names.
  public static let any = AddressPolicy()
  /// Refuses what is not on the public Internet: for servers that load what others name.
  public static let publicInternetOnly = AddressPolicy(scope: .publicInternet)

  /// Why no connection may be made, in a few words; `nil` when it may. O(n) in the ranges listed.
  public func refusal(of address: IPAddress, port: Int) -> String? {
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
