#if canImport(CHalcyonCurlShim)
import Foundation
import HalcyonHTTP

/// The configured proxy, or those in the environment, chosen as libcurl would choose them; chosen here, so that errors can
/// name the proxy.
struct ProxySettings: Sendable {
  /// A proxy.
  struct Proxy: Hashable, Sendable {
    /// Its URL, with its user and password.
    let text: String
    /// Whether the proxy reads requests and responses; for `https`, and with SOCKS, it only passes bytes on.
    let readsRequest: Bool

    /// The proxy for a message, without user and password.
    var name: String { text.withoutUserInfo }
  }

  /// The configured proxy.
  private let configured: String?
  /// The value of an environment variable.
  private let variable: @Sendable (String) -> String?

  /// - Parameters:
  ///   - configured: Used instead of those in the environment.
  ///   - variable: Reads an environment variable. Default: that of the process, at each request, as libcurl does.
  init(
    _ configured: URL? = nil,
    variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) {
    self.configured = configured?.absoluteString
    self.variable = variable
  }

  /// The proxy for a URL; `nil` if its host is connected to.
  func proxy(for url: URL) -> Proxy? {
    let isSecure = url.absoluteString.prefix(6).lowercased() == "https:"
    // Not HTTP_PROXY: the environment of a CGI program has the header field `Proxy` of its client under that name.
    let names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    guard let text = configured ?? value(of: names + ["all_proxy", "ALL_PROXY"]), !isExempt(url) else { return nil }
    return Proxy(text: text, readsRequest: !isSecure && !text.lowercased().hasPrefix("socks"))
  }

  private func value(of names: [String]) -> String? {
    names.lazy.compactMap(variable).first { !$0.isEmpty }
  }

  /// Whether `no_proxy` has the host of a URL: `*`, a domain and its subdomains, an IP address, or a range of them.
  private func isExempt(_ url: URL) -> Bool {
    guard let list = value(of: ["no_proxy", "NO_PROXY"]), let host = url.host(percentEncoded: false) else {
      return false
    }
    let name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[].")).lowercased()
    let address = IPAddress(name)
    return list.split { ", \t".contains($0) }.contains { entry in
      if entry == "*" { return true }
      if let address { return AddressRange(String(entry))?.contains(address) ?? false }
      let domain = entry.trimmingCharacters(in: CharacterSet(charactersIn: ".")).lowercased()
      return !domain.isEmpty && (name == domain || name.hasSuffix("." + domain))
    }
  }
}

extension TransportError {
  /// The error of a response that a proxy has made itself, to a plain request for an `http` URL; `nil` if it may be the
  /// server's.
  ///
  /// Only a proxy sends 407 (RFC 9110, 15.5.8). Others say that they failed: in the last member of `Proxy-Status`, which is
  /// that of the nearest one (RFC 9209, 2), or in Squid's own field.
  init?(_ head: TransportHead, of proxy: ProxySettings.Proxy) {
    let ownError = head.headers["Proxy-Status"]?.split(separator: ",").last?.contains("error=") == true
    guard
      head.status == 407 || [502, 504].contains(head.status) && ownError
        || head.status >= 400 && head.headers["X-Squid-Error"] != nil
    else { return nil }
    self = .proxyFailed(proxy: proxy.name, status: head.status, reason: "it responded with HTTP \(head.status) itself")
  }
}
#endif
