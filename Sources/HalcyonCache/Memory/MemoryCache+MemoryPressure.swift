extension MemoryCache {
  /// Evicts half of the bytes under some pressure, nine tenths under full pressure, and all images at a warning or if
  /// ``MemoryCacheConfiguration/emptiesUnderPressure`` is set.
  ///
  /// Evicted images that are still in use are found again.
  public func trim(for pressure: MemoryPressure) {
    trim(to: configuration.emptiesUnderPressure ? 0 : pressure.cost(of: totalCost))
  }
}

extension MemoryPressure {
  /// The bytes that a memory cache of this cost keeps under the pressure.
  func cost(of cost: Int) -> Int {
    switch self {
    case .some: cost / 2
    case .full: cost / 10
    case .warning: 0
    }
  }
}
