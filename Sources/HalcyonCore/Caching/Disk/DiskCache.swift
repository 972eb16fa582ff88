public import Foundation

/// Encoded images in files below one folder, the least recently used evicted first.
///
/// The folder never takes more than ``DiskCacheConfiguration/sizeLimit``; entries are written whole or not at all, and
/// checked when they are read. The folder is for its owner only, may be shared by several processes, and may be deleted
/// at any time. All calls are safe from any task; files are read and written on threads of the cache's own.
public final class DiskCache: DataStore {
  /// How many reads go on before their order is written down.
  private static let touchesBeforeFlush = 256

  /// The folder that holds the cache.
  public let directory: URL

  private let layout: DiskLayout
  private let writer: DiskWriter
  private let readers = WorkerPool(name: "disk-reader", width: 2)
  private let time: any TimeSource
  private let state: Locked<State>

  private struct State {
    var configuration: DiskCacheConfiguration
    var touches: [CacheKey: (order: Int, date: Date)] = [:]
    var touchCount = 0
  }

  /// Describes a cache; nothing is read or written before the first use.
  ///
  /// - Parameters:
  ///   - directory: A folder of the cache's own; it is made when missing.
  ///   - configuration: What it may hold.
  ///   - time: Clocks for the expiration.
  public init(
    directory: URL = DiskCache.defaultDirectory, configuration: DiskCacheConfiguration = DiskCacheConfiguration(),
    time: any TimeSource = SystemTime()
  ) {
    self.directory = directory
    self.time = time
    layout = DiskLayout(root: directory.path(percentEncoded: false))
    writer = DiskWriter(layout: layout)
    state = Locked(State(configuration: configuration))
  }

  /// What the cache may hold. A lower limit is brought about by the next write, or by ``trim()``.
  public var configuration: DiskCacheConfiguration {
    get { state.withLock(\.configuration) }
    set { state.withLock { $0.configuration = newValue } }
  }

  /// The entry stored under a key; `nil` when there is none, or when it is expired or damaged.
  public func entry(for key: CacheKey) async throws -> StoredEntry? {
    let path = layout.entry(key.digest.bytes)
    let content: BlobFile.Content?
    do {
      content = try await readers.run { _ in try BlobFile.read(path: path, key: key) }
    } catch DiskCacheError.system(_, _, ENOENT) {
      return nil
    }
    guard let content else {
      try await writer.remove(key)
      return nil
    }
    guard isFresh(content, key: key) else {
      try await writer.remove(key)
      return nil
    }
    try await touch(key)
    return content.entry
  }

  /// Keeps an entry. Others are evicted first, so that the limit holds at every moment.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await flushTouches()
    let configuration = configuration
    let expiration = StoredExpiration(entry.metadata.expiration ?? configuration.expiration, at: time.now())
    try await writer.store(entry, for: key, expiration: expiration, sizeLimit: configuration.sizeLimit)
  }

  /// Changes what is known about an entry by one small write; its bytes stay as they are.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await writer.updateMetadata(metadata, for: key)
  }

  /// Forgets one entry.
  public func removeEntry(for key: CacheKey) async throws {
    try await writer.remove(key)
  }

  /// Forgets all entries.
  public func removeAll() async throws {
    try await writer.trim(to: 0)
  }

  /// Forgets the entries that have expired, reading no file.
  public func removeExpired() async throws {
    try await flushTouches()
    try await writer.removeExpired(at: time.now())
  }

  /// Evicts what is over the limit now.
  public func trim() async throws {
    try await flushTouches()
    try await writer.trim(to: configuration.sizeLimit)
  }

  /// Bytes of disk space that the entries take.
  public var totalSize: Int {
    get async throws { try await writer.totalSize() }
  }

  /// How many entries there are.
  public var count: Int {
    get async throws { try await writer.count() }
  }

  private func isFresh(_ content: BlobFile.Content, key: CacheKey) -> Bool {
    let (fallback, touched) = state.withLock { ($0.configuration.expiration, $0.touches[key]?.date) }
    switch content.entry.metadata.expiration ?? fallback {
    case .never: return true
    case .expired: return false
    case .date(let end): return time.now() < end
    case .after(let duration):
      return time.now().timeIntervalSince(max(content.modified, touched ?? content.modified)) < duration.inSeconds
    }
  }

  private func touch(_ key: CacheKey) async throws {
    let now = time.now()
    let isFull = state.withLock { state in
      state.touchCount += 1
      state.touches[key] = (state.touchCount, now)
      return state.touches.count >= Self.touchesBeforeFlush
    }
    if isFull { try await flushTouches() }
  }

  private func flushTouches() async throws {
    let touches = state.withLock { state in
      defer { state.touches = [:] }
      return state.touches
    }
    let inOrder = touches.sorted { $0.value.order < $1.value.order }
    let uses = inOrder.map { (digest: $0.key.digest.bytes, date: $0.value.date) }
    if !uses.isEmpty { try await writer.touch(uses) }
  }
}
