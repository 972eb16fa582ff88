extension HTTPHeaders {
  /// The fields without those that are about one connection (RFC 9110, 7.6.1): `Connection`, what it names, and others
  /// like it.
  public var endToEnd: HTTPHeaders {
    let named = (self["Connection"] ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
    let dropped = Self.hopByHopFields.union(named)
    return filter { !dropped.contains($0.name.lowercased()) }
  }

  private static let hopByHopFields: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}
