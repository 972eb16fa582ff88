extension MemoryCache {
  /// Gives memory back: half of the bytes held under some pressure, nine tenths under full pressure.
  ///
  /// Images that someone holds are evicted too, but found again; see ``MemoryCacheConfiguration/findsImagesInUse``.
  public func trim(for pressure: MemoryPressure) {
    switch pressure {
    case .some: trim(to: totalCost / 2)
    case .full: trim(to: totalCost / 10)
    }
  }
}
