/// Whether a stored answer is served as it is, or its server is asked first.
public enum FreshnessPolicy: Hashable, Sendable, CaseIterable {
  /// What is fresh is served; what is stale is asked for, by its validators where it has some (RFC 9111). The default.
  case standard
  /// Whatever is stored is served, however old: what is at an address never changes. A miss is fetched.
  case cacheFirst
  /// The server is asked although the answer is fresh, unless the answer says that it does not change while it is
  /// (`immutable`, RFC 8246). An answer that still holds is not transferred again.
  case revalidate
  /// The image is transferred again, whatever is stored and however fresh, and takes its place. What fails is an error:
  /// nothing stored stands in for it.
  case reloadIgnoringCache
  /// Whatever is stored is served, however old and whatever it demands; the network is not used, not even on a miss.
  case cacheOnly
  /// The network is not used, and what is stored is served, however old, unless it demands to be asked for each time
  /// (`must-revalidate`, `no-cache`).
  case offline

  /// Whether the server may be asked at all.
  public var usesNetwork: Bool { self != .cacheOnly && self != .offline }

  /// Whether what is stored, however fresh, is served only after its server was asked.
  package var contactsServerFirst: Bool { self == .revalidate || self == .reloadIgnoringCache }
}
