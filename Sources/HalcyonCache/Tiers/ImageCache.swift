public import HalcyonSupport

/// The cache of a pipeline: decoded images in memory, encoded images in a store.
///
/// ```swift
/// let cache = ImageCache(named: "stickers", disk: DiskCacheConfiguration(expiration: .never))
/// let pipeline = ImagePipeline(cache: cache)
/// ```
public final class ImageCache: Sendable {
  /// Decoded images.
  public let memory: any MemoryStore
  /// Encoded images; `nil` for a cache in memory only.
  public let store: (any DataStore)?

  package let writes = BackgroundWrites(byteLimit: 64 << 20)
  package let metadataUpdates = SerialWork()
  package let placeholders = PlaceholderTable()
  /// The removals through this cache itself.
  package let removals = (memory: RemovalHistory(), store: RemovalHistory())
  /// ``removals``, and those of the tiers.
  package let removalHistories: (memory: [RemovalHistory], store: [RemovalHistory])
  private let monitor: MemoryPressureMonitor?

  /// Creates a cache of two tiers.
  ///
  /// - Parameters:
  ///   - memory: The tier of decoded images.
  ///   - store: The tier of encoded images. Default: `nil`, none.
  ///   - pressure: The source of memory pressure events, on which the memory tier frees memory, as long as this cache
  ///     exists. `SystemMemoryPressure()` reports those of the system and takes a thread. Default: `nil`, none.
  public init(
    memory: any MemoryStore = MemoryCache(), store: (any DataStore)? = nil,
    pressure: (any MemoryPressureSource)? = nil
  ) {
    self.memory = memory
    self.store = store
    removalHistories = (
      [removals.memory] + Self.removals(of: memory), [removals.store] + (store.map(Self.removals) ?? [])
    )
    monitor = pressure.map { MemoryPressureMonitor(source: $0, onPressure: memory.trim(for:)) }
  }

  /// A tier of an image cache.
  public typealias Tier = CacheTier

  /// The store as a disk cache, the first tier of a ``TieredStore``, or one of these behind a ``DataMemoryCache``; `nil`
  /// for any other store.
  public var disk: DiskCache? {
    let base = (store as? DataMemoryCache)?.base ?? store
    return (base as? TieredStore)?.tiers.first?.store as? DiskCache ?? base as? DiskCache
  }

  /// The store, or the one behind a ``DataMemoryCache``, as a ``TieredStore``; `nil` for any other store.
  public var tiers: TieredStore? { ((store as? DataMemoryCache)?.base ?? store) as? TieredStore }

  /// Waits until all images loaded so far are stored, and their reads are recorded for the eviction order on disk.
  ///
  /// Of loads that failed or were cancelled before, the part that was received is stored, so that a later process resumes
  /// the download.
  ///
  /// Call it before the program exits.
  public func flush() async {
    await writes.flush()
    for disk in disks { await disk.flushAccesses() }
  }
}

extension ImageCache {
  /// Creates a cache with a memory cache of its own, and the disk folder ``DiskCache/directory(named:)``.
  ///
  /// Caches with different names share nothing. Create one cache for each name in a process: two with the same name share
  /// the folder, but not the memory.
  ///
  /// - Parameters:
  ///   - name: The name of the folder; not empty, not `.` or `..`, and without `/`.
  ///   - memory: The configuration of the memory cache.
  ///   - disk: The configuration of the disk cache.
  ///   - pressure: The source of memory pressure events; see ``init(memory:store:pressure:)``.
  ///   - time: The time source for expirations.
  public convenience init(
    named name: String, memory: MemoryCacheConfiguration = MemoryCacheConfiguration(),
    disk: DiskCacheConfiguration = DiskCacheConfiguration(), pressure: (any MemoryPressureSource)? = nil,
    time: any TimeSource = SystemTime()
  ) {
    precondition(
      !["", ".", ".."].contains(name) && !name.utf8.contains(UInt8(ascii: "/")),
      "“\(name)” is not a valid folder name")
    self.init(
      memory: MemoryCache(configuration: memory, time: time),
      store: DiskCache(directory: DiskCache.directory(named: name), configuration: disk, time: time),
      pressure: pressure)
  }

  /// Creates a cache that searches other caches in order; see ``MemoryChain`` and ``StoreChain``.
  ///
  /// The caches may also be used directly. Each keeps its own limits and its own handling of memory pressure. An image
  /// found in the memory of a later cache is copied to the first, with the default expiration of the first.
  ///
  /// - Parameter caches: The caches in the order in which they are searched; at least one.
  public convenience init(chain caches: [ImageCache]) {
    let stores = caches.compactMap(\.store)
    self.init(memory: MemoryChain(caches.map(\.memory)), store: stores.isEmpty ? nil : StoreChain(stores))
  }

  /// The disk caches: none, the store, or those of a chain; also behind a ``DataMemoryCache``.
  package var disks: [DiskCache] { store.map(Self.disks) ?? [] }

  private static func disks(of store: any DataStore) -> [DiskCache] {
    switch store {
    case let disk as DiskCache: [disk]
    case let memory as DataMemoryCache: memory.base.map(disks) ?? []
    case let chain as StoreChain: chain.stores.flatMap(disks)
    case let tiers as TieredStore: tiers.tiers.flatMap { disks(of: $0.store) }
    default: []
    }
  }

  /// The memory caches: none, the memory tier, or those of a chain.
  package var memories: [MemoryCache] { Self.memories(of: memory) }

  private static func memories(of store: any MemoryStore) -> [MemoryCache] {
    switch store {
    case let cache as MemoryCache: [cache]
    case let chain as MemoryChain: chain.stores.flatMap(memories)
    default: []
    }
  }
}

extension ImageCache {
  /// Removes all images from both tiers, after waiting for pending writes.
  ///
  /// Loads in flight deliver their images, but do not store them.
  ///
  /// - Throws: The errors of the store; the memory tier is empty even then.
  public func removeAll() async throws {
    removeAllFromMemory()
    // Once more, for loads that began meanwhile.
    defer { removeAllFromMemory() }
    try await removals.store.recordAll {
      placeholders.removeAll()
      await flush()
      try await store?.removeAll()
    }
  }

  private func removeAllFromMemory() {
    removals.memory.recordAll()
    memory.removeAll()
  }

  /// Removes expired images from each ``MemoryCache`` and ``DiskCache``, without reading images. Other tiers are not
  /// affected.
  ///
  /// - Throws: ``DiskCacheError`` if the file system fails.
  public func removeExpired() async throws {
    for memory in memories { memory.removeExpired() }
    for disk in disks { try await disk.removeExpired() }
  }

  /// Cleans now: removes expired images from each ``MemoryCache``, and applies the ``CleaningPolicy`` of each
  /// ``DiskCache``, without reading images.
  ///
  /// - Returns: The removed entries.
  /// - Throws: ``DiskCacheError`` if the file system fails.
  @discardableResult
  public func clean() async throws -> CleaningReport {
    var report = CleaningReport()
    for memory in memories {
      let removed = memory.removeExpired()
      if removed.count > 0 { report.memory[.expiration, default: CleaningReport.Removal()] += removed }
    }
    for disk in disks { report.add(try await disk.clean()) }
    return report
  }
}
