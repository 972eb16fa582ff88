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
