import HalcyonHTTP
package import HalcyonCache
package import HalcyonImaging

/// The outcome of the look-up in memory, which each load does once, before anything suspends.
package enum MemoryLookup: Sendable {
  /// The image can be returned.
  case hit(DecodedImage)
  /// The image must be revalidated first; its pixels can be used again if its bytes have not changed.
  case stale(DecodedImage)
  case miss(CacheMiss)

  package var staleImage: DecodedImage? {
    if case .stale(let image) = self { image } else { nil }
  }

  /// The image in memory, fresh or stale.
  var image: DecodedImage? {
    switch self {
    case .hit(let image), .stale(let image): image
    case .miss: nil
    }
  }

  /// This outcome as an event of a load.
  func event(for request: ImageRequest) -> PipelineEvent.Kind {
    switch self {
    case .hit: .memoryHit
    case .stale: .memoryMiss(request.freshness.contactsServerFirst ? .notRead : .stale)
    case .miss(let miss): .memoryMiss(miss)
    }
  }
}
