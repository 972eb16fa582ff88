/// How a request uses a stored response: as it is, after revalidation, or not at all.
///
/// ```swift
/// let request = ImageRequest(url: url, freshness: .revalidate)  // pull to refresh
/// ```
public enum FreshnessPolicy: Hashable, Sendable, CaseIterable {
  /// A fresh response is served; a stale one is revalidated if it has a validator, otherwise fetched (RFC 9111).
  ///
  /// The default.
  case standard
  /// A stored response is served regardless of its age; a miss is fetched.
  ///
  /// For URLs whose content never changes.
  case cacheFirst
  /// A stored response is revalidated even if it is fresh, unless it is also `immutable` (RFC 8246).
  ///
  /// An unchanged response is not transferred again.
  case revalidate
  /// The image is fetched without validators and replaces any stored response.
  ///
  /// Failures are errors: no stored response is served in their place.
  case reloadIgnoringCache
  /// A stored response is served regardless of its age and its directives; the network is not used, not even on a miss.
  case cacheOnly
  /// A stored response is served regardless of its age, unless it is stale with `must-revalidate` or has `no-cache`;
  /// the network is not used.
  case offline

  /// Whether the policy allows using the network.
  public var usesNetwork: Bool { self != .cacheOnly && self != .offline }

  /// Whether the server is contacted before a fresh response is served.
  package var contactsServerFirst: Bool { self == .revalidate || self == .reloadIgnoringCache }
}
