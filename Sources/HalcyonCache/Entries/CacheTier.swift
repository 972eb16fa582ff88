/// A tier of an image cache.
public enum CacheTier: Hashable, Sendable {
  /// Decoded images in memory.
  case memory
  /// Encoded images in the store.
  case store
}

extension CacheTier: CustomStringConvertible {
  /// `memory` or `store`, also as a key of a dictionary that is printed.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .store: "store"
    }
  }
}
