extension MemoryCache {
  /// Evicts half of the bytes under some pressure, nine tenths under full pressure; all images if
  /// ``MemoryCacheConfiguration/emptiesUnderPressure`` is set.
  ///
  /// Evicted images that are still in use are found again, see ``MemoryCacheConfiguration/findsImagesInUse``.
  public func trim(for pressure: MemoryPressure) {
    trim(to: configuration.emptiesUnderPressure ? 0 : totalCost / pressure.costDivisor)
  }
}

extension MemoryPressure {
  /// A memory cache keeps its cost divided by this: half of it under some pressure, a tenth under full pressure.
  fileprivate var costDivisor: Int {
    switch self {
    case .some: 2
    case .full: 10
    }
  }
}
