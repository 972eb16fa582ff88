public import HalcyonSupport

/// The two tiers of a pipeline: decoded images in memory, encoded ones in a store.
public final class ImageCache: Sendable {
  /// Decoded images.
  public let memory: any MemoryStore
  /// Encoded images; `nil` when nothing outlives the process.
  public let store: (any DataStore)?

  package let writes = BackgroundWrites(byteLimit: 64 << 20)
  package let placeholders = PlaceholderTable()
  private let monitor: MemoryPressureMonitor?

  /// Creates a cache of two tiers.
  ///
  /// - Parameters:
  ///   - memory: Decoded images.
  ///   - store: Encoded images.
  ///   - pressure: What tells that the memory tier is to give memory back, as long as this cache lives:
  ///     `SystemMemoryPressure()` for what the system tells, which takes a thread. Default: `nil`, nobody tells.
  public init(
    memory: any MemoryStore = MemoryCache(), store: (any DataStore)? = nil,
    pressure: (any MemoryPressureSource)? = nil
  ) {
    self.memory = memory
    self.store = store
    monitor = pressure.map { MemoryPressureMonitor(source: $0, onPressure: memory.relieve) }
  }

  /// One of the two tiers.
  public typealias Tier = CacheTier

  /// The store, where it is a folder on disk, also behind an ``DataMemoryCache``.
  public var disk: DiskCache? { (store as? DataMemoryCache)?.base as? DiskCache ?? store as? DiskCache }

  /// Waits until everything loaded so far is in the store, and what was read is written down there: it counts as used
  /// lately. A program calls this before it ends.
  public func flush() async {
    await writes.flush()
    for disk in disks { await disk.flushTouches() }
  }
}

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

extension ImageCache {
  /// Forgets everything in both tiers, once what is being written is there.
  ///
  /// - Throws: What the store throws; memory is empty all the same.
  public func removeAll() async throws {
    memory.removeAll()
    placeholders.removeAll()
    await flush()
    try await store?.removeAll()
  }

  /// Forgets what has expired in a ``MemoryCache`` and in a ``DiskCache``, reading no image; other tiers see to
  /// themselves.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails.
  public func removeExpired() async throws {
    for memory in memories { memory.removeExpired() }
    for disk in disks { try await disk.removeExpired() }
  }

  /// Cleans now: what has expired in a ``MemoryCache``, and what the ``CleaningPolicy`` of a ``DiskCache`` says, reading no
  /// image.
  ///
  /// - Returns: What was removed.
  /// - Throws: ``DiskCacheError`` when the file system fails.
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
