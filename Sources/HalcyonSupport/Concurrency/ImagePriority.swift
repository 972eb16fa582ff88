/// The order in which waiting work starts: higher first.
public enum ImagePriority: Int, Hashable, Sendable, CaseIterable {
  /// Not needed soon.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// Visible or about to be.
  case high
  /// Before everything else.
  case veryHigh
}

extension ImagePriority: Comparable {
  /// Orders by urgency: the lower priority starts later.
  public static func < (left: ImagePriority, right: ImagePriority) -> Bool { left.rawValue < right.rawValue }
}
