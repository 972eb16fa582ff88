/// The priority of a request; waiting work starts in order of priority, highest first.
public enum ImagePriority: Int, Hashable, Sendable, CaseIterable {
  /// Not needed soon.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// Visible, or soon to be.
  case high
  /// Before all other work.
  case veryHigh
}

extension ImagePriority: Comparable {
  /// Whether the left priority is lower.
  public static func < (left: ImagePriority, right: ImagePriority) -> Bool { left.rawValue < right.rawValue }
}
