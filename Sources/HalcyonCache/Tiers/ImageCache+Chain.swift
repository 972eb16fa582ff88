public import HalcyonSupport

extension ImageCache {
  /// A cache of this name: memory of its own, and a folder of its own where the system keeps caches.
  ///
  /// Caches of different names share nothing. Make one of each name for a process: two of the same name share the
  /// folder, and each has its own memory.
  ///
  /// - Parameters:
  ///   - name: The name of the folder; not empty, not `.` or `..`, and without `/`.
  ///   - memory: What memory may hold.
  ///   - disk: What the folder may hold.
  ///   - pressure: As in ``init(memory:store:pressure:)``.
  ///   - time: Clocks for the expiration.
  public convenience init(
    named name: String, memory: MemoryCacheConfiguration = MemoryCacheConfiguration(),
    disk: DiskCacheConfiguration = DiskCacheConfiguration(), pressure: (any MemoryPressureSource)? = nil,
    time: any TimeSource = SystemTime()
  ) {
    precondition(
      !["", ".", ".."].contains(name) && !name.utf8.contains(UInt8(ascii: "/")), "“\(name)” is no name of a folder")
    self.init(
      memory: MemoryCache(configuration: memory, time: time),
      store: DiskCache(directory: DiskCache.directory(named: name), configuration: disk, time: time),
      pressure: pressure)
  }

  /// A cache over several others, which are asked one after the other: see ``MemoryChain`` and ``StoreChain``.
  ///
  /// The caches may be used by themselves meanwhile. Each keeps its own limits, and its own answer to memory pressure.
  /// An image that is found in the memory of a later cache is put into that of the first, with the first's expiration: a
  /// memory tier does not tell how much time an image has left, so one that was to leave soon may stay longer.
  ///
  /// - Parameter caches: At least one, the nearest first.
  public convenience init(chain caches: [ImageCache]) {
    let stores = caches.compactMap(\.store)
    self.init(memory: MemoryChain(caches.map(\.memory)), store: stores.isEmpty ? nil : StoreChain(stores))
  }

  /// The folders on disk: none, the store, or those of a chain.
  package var disks: [DiskCache] {
    if let chain = store as? StoreChain { return chain.stores.compactMap { $0 as? DiskCache } }
    return [disk].compactMap(\.self)
  }

  /// The memory tiers of this library: none, one, or those of a chain.
  package var memories: [MemoryCache] {
    let stores = (memory as? MemoryChain)?.stores ?? [memory]
    return stores.compactMap { $0 as? MemoryCache }
  }
}
