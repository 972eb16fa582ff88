/// The two tiers of a pipeline: decoded images in memory, encoded ones in a store.
public final class ImageCache: Sendable {
  /// Decoded images.
  public let memory: any MemoryStore
  /// Encoded images; `nil` when nothing outlives the process.
  public let store: (any DataStore)?

  let writes = BackgroundWrites(byteLimit: 64 << 20)

  /// Creates a cache of two tiers.
  public init(memory: any MemoryStore = MemoryCache(), store: (any DataStore)? = nil) {
    self.memory = memory
    self.store = store
  }

  /// The store, where it is a folder on disk.
  public var disk: DiskCache? { store as? DiskCache }

  /// Waits until everything loaded so far is in the store. A program calls this before it ends.
  public func flush() async {
    await writes.flush()
  }
}
