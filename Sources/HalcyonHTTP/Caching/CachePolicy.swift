/// When a cached image is good enough: as it is, after revalidation, or not at all.
///
/// ```swift
/// let request = ImageRequest(url: url) { $0.cachePolicy = .revalidate }  // pull to refresh
/// ```
public enum CachePolicy: Hashable, Sendable, CaseIterable {
  /// A fresh response is served; a stale one is revalidated if it has a validator, otherwise fetched (RFC 9111).
  ///
  /// The default.
  case standard
  /// As ``standard``; a task delivers a stale image at once, as a preview, while it is revalidated.
  ///
  /// Views always do so. Calls that deliver one image wait for the fresh one.
  case staleFirst
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
  case reload
  /// A stored response is served regardless of its age and its directives; the network is not used, not even on a miss.
  case cacheOnly

  /// Whether the policy allows using the network.
  package var usesNetwork: Bool { self != .cacheOnly }

  /// Whether HTTP's rules decide if a stored response is served.
  package var followsHTTP: Bool { self == .standard || self == .staleFirst }

  /// Whether the server is contacted before a fresh response is served.
  package var contactsServerFirst: Bool { self == .revalidate || self == .reload }
}
