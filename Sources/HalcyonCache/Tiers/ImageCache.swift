package import HalcyonSupport
package import HalcyonImaging
public import Foundation

/// The cache of a pipeline: decoded images in memory, encoded images in a store.
///
/// ```swift
/// let cache = ImageCache(named: "stickers", disk: DiskCacheConfiguration(expiration: .never))
/// let pipeline = ImagePipeline { $0.cache = cache }
/// ```
///
/// Safe from any thread. The limits can be changed while the cache is in use.
public final class ImageCache: Sendable {
  /// Decoded images.
  public let memory: any MemoryStore
  /// Encoded images; `nil` for a cache in memory only.
  public let store: (any DataStore)?

  /// ``memory``, if it is a memory cache of the library.
  package let memoryCache: MemoryCache?
  /// The disk caches: none, the store, or the disk caches in its tiers.
  package let disks: [DiskCache]
  /// Encoded images in memory, in front of the store.
  private let encodedImages: DataMemoryCache
  package let writes = BackgroundWrites(byteLimit: 64 << 20)
  package let metadataUpdates = SerialWork()
  package let placeholders = PlaceholderTable()
  package let originals = OriginalVersions()
  /// The removals through this cache itself.
  package let removals = (memory: RemovalHistory(), store: RemovalHistory())
  /// ``removals``, and the histories of the tiers.
  package let removalHistories: (memory: [RemovalHistory], store: [RemovalHistory])
  private let pressure: Subscription

  /// Creates a cache of two tiers.
  ///
  /// - Parameters:
  ///   - memory: The tier of decoded images.
  ///   - store: The tier of encoded images; `nil` for none.
  ///   - encodedByteLimit: See ``encodedByteLimit``. Default: 0.
  public convenience init(memory: any MemoryStore, store: (any DataStore)?, encodedByteLimit: Int = 0) {
    self.init(memory: memory, store: store, encodedByteLimit: encodedByteLimit, time: SystemTime(), pressure: .system)
  }

  /// - Parameters:
  ///   - time: The clocks for the expiration of encoded images in memory.
  ///   - pressure: Reports when to free memory, also to a memory store that is not a ``MemoryCache``.
  package init(
    memory: any MemoryStore, store: (any DataStore)?, encodedByteLimit: Int, time: any TimeSource,
    pressure: MemoryPressureMonitor = .system
  ) {
    let memoryCache = memory as? MemoryCache
    self.memory = memory
    self.memoryCache = memoryCache
    self.store = store
    disks = store.map(DiskCache.all) ?? []
    let encodedImages = DataMemoryCache(byteLimit: encodedByteLimit, over: store, time: time)
    self.encodedImages = encodedImages
    removalHistories = (
      [removals.memory] + [memoryCache?.removals].compactMap(\.self),
      [removals.store] + RemovalHistory.all(in: encodedImages)
    )
    self.pressure = pressure.observe { pressure in
      if memoryCache == nil { memory.trim(for: pressure) }
      encodedImages.trim(to: pressure.cost(of: encodedImages.byteCount))
    }
  }

  /// Keeps a tenth of the images in memory, while the app is in the background: the system terminates large ones first.
  package func trimForBackground() {
    if let memoryCache {
      memoryCache.trim(to: memoryCache.configuration.costLimit / 10)
    } else {
      memory.trim(for: .full)
    }
    encodedImages.trim(to: encodedImages.byteCount / 10)
  }

  /// Creates a cache with a memory cache of its own and a disk cache, or with a memory cache alone.
  ///
  /// Caches in different folders share nothing. Create one cache for each folder in a process: two share the folder, but
  /// not the memory.
  ///
  /// - Parameters:
  ///   - name: The name of a folder in `directory`: not empty, not `.` or `..`, and without `/`; of one over 255 bytes the
  ///     end is replaced by a hash. Default: `nil`, the `directory` itself, or ``DiskCache/defaultDirectory``.
  ///   - directory: A folder that nothing else uses; created when missing. Default: `nil`, the system's folder for
  ///     caches, see ``DiskCache/directory(named:)``.
  ///   - memory: The configuration of the memory cache.
  ///   - disk: The configuration of the disk cache; `nil` for none.
  ///   - encodedByteLimit: See ``encodedByteLimit``. Default: 0.
  public convenience init(
    named name: String? = nil, in directory: URL? = nil, memory: MemoryCacheConfiguration = MemoryCacheConfiguration(),
    disk: DiskCacheConfiguration? = DiskCacheConfiguration(), encodedByteLimit: Int = 0
  ) {
    if let name {
      precondition(
        !["", ".", ".."].contains(name) && !name.utf8.contains(UInt8(ascii: "/")),
        "“\(name)” is not a valid folder name")
    }
    let folder =
      switch (name, directory) {
      case (let name?, let directory?):
        directory.appending(path: DiskCache.shortened(name), directoryHint: .isDirectory)
      case (let name?, nil): DiskCache.directory(named: name)
      case (nil, let directory): directory ?? DiskCache.defaultDirectory
      }
    self.init(
      memory: MemoryCache(configuration: memory), store: disk.map { DiskCache(directory: folder, configuration: $0) },
      encodedByteLimit: encodedByteLimit)
  }

  /// Creates a cache with a memory cache of its own, and a store of yours.
  ///
  /// - Parameters:
  ///   - memory: The configuration of the memory cache.
  ///   - store: The tier of encoded images.
  ///   - encodedByteLimit: See ``encodedByteLimit``. Default: 0.
  public convenience init(
    memory: MemoryCacheConfiguration = MemoryCacheConfiguration(), store: any DataStore, encodedByteLimit: Int = 0
  ) {
    self.init(memory: MemoryCache(configuration: memory), store: store, encodedByteLimit: encodedByteLimit)
  }

  /// The limits of the memory tier. A lower limit evicts before the setter returns.
  public var memoryConfiguration: MemoryCacheConfiguration {
    get { memory.configuration }
    set { memory.configuration = newValue }
  }

  /// The limits and policies of ``disk``; `nil` without one, and setting it then has no effect.
  public var diskConfiguration: DiskCacheConfiguration? {
    get { disk?.configuration }
    set { if let newValue { disk?.configuration = newValue } }
  }

  /// The most bytes of encoded images in memory, in front of the store; 0, the default, keeps none there.
  ///
  /// For many images that are each shown at several sizes, or for a process without a disk: an encoded image needs about
  /// a tenth of the memory of a decoded one. Copies of the store's entries expire 5 minutes after their last use. Memory
  /// pressure evicts half of the bytes or more.
  public var encodedByteLimit: Int {
    get { encodedImages.byteLimit }
    set { encodedImages.byteLimit = newValue }
  }

  /// The image in memory, or the reason of the miss, which a memory store of your own does not know.
  ///
  /// - Parameter isUseDue: Set to whether ``recordUse(of:)`` has to follow, which takes longer than a hit and is not due for
  ///   each one.
  package func lookUpInMemory(_ key: CacheKey, isUseDue: inout Bool) -> CacheResult<DecodedImage> {
    guard let memoryCache else {
      let image = memory.image(for: key)
      isUseDue = image != nil
      return image.map { .hit($0) } ?? .miss(.absent)
    }
    var use = MemoryUse(writeCount: encodedImages.writeCount.load())
    defer { isUseDue = use.isDue }
    return memoryCache.lookUp(key, use: &use)
  }

  /// Records that the image of stored entries was found in memory, which counts as a use of them on disk.
  ///
  /// Returns at once, and writes nothing; the disk caches write the uses with those of other entries.
  package func recordUse(of keys: [CacheKey]) {
    for disk in disks { for key in keys { disk.recordUse(of: key) } }
  }

  /// The store as a disk cache, or the first disk cache of a store with tiers; `nil` for any other store.
  public var disk: DiskCache? { disks.first }

  /// The store with the encoded images in memory before it; `nil` if neither holds any.
  package var encodedStore: (any DataStore)? {
    store == nil && encodedByteLimit == 0 ? nil : encodedImages
  }
}

extension ImageCache {
  /// The counters of a ``MemoryCache`` and of ``disk``, since their creation; other tiers have none.
  ///
  /// Takes microseconds and reads no files.
  public var statistics: [CacheTier: CacheStatistics] {
    var statistics: [CacheTier: CacheStatistics] = [:]
    statistics[.memory] = memoryCache?.statistics
    statistics[.store] = disk?.statistics
    return statistics
  }

  /// The bytes that a tier uses now: of pixels and encoded images in memory, or of disk space.
  ///
  /// A memory store or a store of your own counts as 0.
  ///
  /// - Throws: ``DiskCacheError`` if the file system fails.
  public func byteCount(of tier: CacheTier) async throws -> Int {
    switch tier {
    case .memory: return (memoryCache?.totalCost ?? 0) + encodedImages.byteCount
    case .store:
      var byteCount = 0
      for disk in disks { byteCount += try await disk.totalSize }
      return byteCount
    }
  }

  /// Waits until all images loaded so far are stored, and their reads are recorded for the eviction order on disk.
  ///
  /// The part that failed or cancelled loads have received is stored too, so that a later process resumes the download.
  ///
  /// Call it before the program exits.
  public func flush() async {
    await writes.flush()
    for disk in disks { await disk.flushAccesses() }
  }

  /// Writes the order of recent reads to disk, cleans if the ``CleaningPolicy`` includes this occasion, and releases all
  /// locks; see ``DiskCache/willEnterBackground()``.
  public func willEnterBackground() async {
    for disk in disks { await disk.willEnterBackground() }
  }

  /// Keeps the locks between writes again; see ``DiskCache/willEnterForeground()``.
  public func willEnterForeground() async {
    for disk in disks { await disk.willEnterForeground() }
  }

  /// Writes the order of recent reads to disk before it returns, and cleans for up to a second if the ``CleaningPolicy``
  /// includes this occasion; see ``DiskCache/willTerminate()``.
  public func willTerminate() {
    for disk in disks { disk.willTerminate() }
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
      originals.removeAll()
      await flush()
      try await encodedImages.removeAll()
    }
  }

  private func removeAllFromMemory() {
    removals.memory.recordAll()
    memory.removeAll()
  }

  /// Removes all images of a source from memory, for loads that are in flight as well.
  package func removeFromMemory(ofSource source: String) {
    removals.memory.record(source: source)
    memory.removeImages(ofSource: source)
  }

  /// Removes all images of a source from memory, whose original was replaced by a newer one. Loads in flight keep what they
  /// make of that one.
  package func removeReplacedFromMemory(ofSource source: String) {
    originals.replacements.record(source: source)
    placeholders.removeAll(ofSource: source)
    if let memoryCache { memoryCache.removeReplaced(ofSource: source) } else { memory.removeImages(ofSource: source) }
  }

  /// Makes loads of a source that are in flight keep nothing, since a program has stored something younger.
  package func recordStoring(ofSource source: String) {
    removals.memory.record(source: source)
    removals.store.record(source: source)
  }

  /// Removes the encoded image in memory that the store failed to store.
  package func removeUnstored(_ key: CacheKey) { encodedImages.removeCopy(of: key) }

  /// The mark of stored original bytes, where finding it takes no request to a server; `nil` if there are none, or several
  /// variants of them.
  package func storedMark(of key: CacheKey) async -> OriginalMark? {
    var stores: [any DataStore] = disks
    if let store, !(store is any SourcePurgingStore) { stores.append(store) }
    for store in stores {
      guard let metadata = try? await store.metadata(for: key) else { continue }
      return metadata.variants.count > 1 ? nil : metadata.original
    }
    return nil
  }

  /// Runs a removal of all entries of a source, after waiting for pending writes, which would insert them again.
  package func removeFromStore(ofSource source: String, _ removal: () async throws -> Void) async throws {
    removals.store.record(source: source)
    defer { removals.store.record(source: source) }
    placeholders.removeAll(ofSource: source)
    await writes.flush()
    try await removal()
  }

  /// Removes the entries that have a tag from each ``DiskCache``, and encoded images in memory. Loads in flight store
  /// nothing.
  ///
  /// Decoded images stay in memory until they expire or are evicted.
  ///
  /// - Returns: The number of entries removed.
  /// - Throws: ``DiskCacheError`` if the file system fails.
  @discardableResult
  public func removeEntries(taggedWith tag: String) async throws -> Int {
    try await removals.store.recordAll {
      let copyCount = encodedImages.removeCopies(taggedWith: tag)
      var count = store == nil ? copyCount : 0
      for disk in disks { count += try await disk.removeEntries(taggedWith: tag) }
      return count
    }
  }

  /// Cleans now: removes expired images from a ``MemoryCache``, and applies the ``CleaningPolicy`` of each
  /// ``DiskCache``, without reading images.
  ///
  /// - Returns: The removed entries.
  /// - Throws: ``DiskCacheError`` if the file system fails.
  @discardableResult
  public func clean() async throws -> CleaningReport {
    var report = CleaningReport()
    if let removed = memoryCache?.removeExpired(), removed.count > 0 {
      report.memory[.expiration] = removed
    }
    for disk in disks { report.add(try await disk.clean()) }
    return report
  }
}
