public import HalcyonSupport
public import Foundation

/// Encoded images in files below one folder, the least recently used evicted first.
///
/// The folder takes no more disk space than ``DiskCacheConfiguration/sizeLimit`` at any moment, however many processes
/// share it; of a limit under 16 MiB that is true of the entries. They are written whole or not at all, and checked when
/// they are read; a process that is killed loses only what it was writing. The folder is for its owner only, and may be
/// deleted at any time. All calls are safe from any task. Files are read and written on threads of the cache's own, but
/// for small entries that the kernel has in memory (Linux 5.12 and later): reading and checking one takes microseconds.
public final class DiskCache: DataStore {
  /// How many reads go on before their order is written down.
  private static let touchesBeforeFlush = 256

  /// The folder that holds the cache.
  public let directory: URL

  let writer: DiskWriter
  let readers = WorkerPool(name: "reader", width: 2)
  let fileSystem: any FileSystem
  private let layout: DiskLayout
  private let cachedReads = NonblockingReads()
  let time: any TimeSource
  let counters = DiskCounters()
  private let upkeep = DiskMaintenance()
  private let background = BackgroundWrites(byteLimit: 0)
  private let settings: DiskSettings
  private let state = Lock(State())

  private struct State {
    var touches: [CacheKey: Access] = [:]
    /// Touches that are being written down: the files do not have them yet.
    var flushed: [CacheKey: Access] = [:]
    var touchCount = 0

    func use(of key: CacheKey) -> Access? { touches[key] ?? flushed[key] }
  }

  /// Describes a cache; nothing is read or written before the first use.
  ///
  /// - Parameters:
  ///   - directory: A folder of the cache's own; it is made when missing.
  ///   - configuration: What it may hold.
  ///   - time: Clocks for the expiration.
  ///   - fileSystem: What makes the system calls; tests give one that fails.
  public init(
    directory: URL = DiskCache.defaultDirectory, configuration: DiskCacheConfiguration = DiskCacheConfiguration(),
    time: any TimeSource = SystemTime(), fileSystem: any FileSystem = SystemFiles()
  ) {
    self.directory = directory
    self.time = time
    self.fileSystem = fileSystem
    layout = DiskLayout(root: directory.path(percentEncoded: false))
    settings = DiskSettings(configuration)
    writer = DiskWriter(layout: layout, settings: settings, time: time, fileSystem: fileSystem, counters: counters)
  }

  /// What the cache may hold. A lower limit is brought about by the next write, or by ``trim()``.
  public var configuration: DiskCacheConfiguration {
    get { settings.current }
    set { settings.current = newValue }
  }

  /// What the cache has done since it was made.
  public var statistics: DiskCacheStatistics { counters.current }

  /// Where entries that were let go are told.
  package var evictionObservers: EvictionObservers { counters.evictionObservers }

  /// The entry stored under a key; `nil` when there is none, or when it is expired or damaged.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry stored under a key, or why there is none, with a say in whether reading extends its life; it counts as
  /// use in any case.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    startUpkeep()
    // Asked before the file is read: what is written down meanwhile is in the one or in the other.
    let last = state.withLock { $0.use(of: key) }
    let content: EntryFile.Content
    switch try await self.content(for: key) {
    case .hit(let found): content = found
    case .miss(let miss): return .miss(miss)
    }
    guard isFresh(content.entry.metadata, modified: content.modified, last: last) else {
      counters.countMiss(.expired)
      await attempt { counters.note(try await writer.removeUnchanged(content.id), .expiration) }
      return .miss(.expired)
    }
    counters.countHit()
    let own = content.entry.metadata.expiration ?? settings.current.expiration
    await touch(key, Access(extending: extending, own: own, after: last, at: time.now()))
    return .hit(content.entry)
  }

  /// Whether the key has an entry that is neither expired nor of another key. Its image is not read, so damage to that
  /// does not show; asking is no use, and counts in no statistics.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    try await metadata(for: key) != nil
  }

  /// What is known about an entry that is neither expired nor of another key; otherwise as ``containsEntry(for:)``.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    let last = state.withLock { $0.use(of: key) }
    let path = layout.entry(key.digest.bytes)
    do {
      let file = try await readers.run { [fileSystem] _ in try EntryFile.describe(path: path, in: fileSystem) }
      guard let file, file.key == key else { return nil }
      return isFresh(file.metadata, modified: file.modified, last: last) ? file.metadata : nil
    } catch let error as DiskCacheError where error.isMissing {
      return nil
    }
  }

  /// Keeps an entry. Others are evicted first, so that the limit holds at every moment.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await changing { writer in try await writer.store(entry, for: key, on: terms) }
  }

  /// Changes what is known about an entry by one small write; its bytes stay as they are. That counts as use, and the
  /// life of the entry starts again: what a server has confirmed is as good as new.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    let isUpdated = try await changing { writer in
      if let isUpdated = try await writer.updateMetadata(metadata, for: key, on: terms) { return isUpdated }
      // There is too little room beside the body, so that the whole entry is written anew.
      guard var entry = try await content(for: key).value?.entry else { return false }
      entry.metadata = metadata
      try await writer.store(entry, for: key, on: terms)
      return true
    }
    if isUpdated { await touch(key, Access(renewedAt: time.now())) }
    return isUpdated
  }

  /// Forgets one entry.
  public func removeEntry(for key: CacheKey) async throws {
    _ = try await changing { writer in try await writer.removeEntry(of: key) }
  }

  /// Forgets all entries, the pinned ones as well.
  public func removeAll() async throws {
    _ = try await changing { writer in try await writer.removeAll() }
  }
}

extension DiskCache {
  var terms: DiskWriter.Terms { DiskWriter.Terms(configuration: configuration, now: time.now()) }

  /// Runs a change after the order of the reads before it is written down.
  func changing<Result>(_ body: (DiskWriter) async throws -> Result) async throws -> Result {
    startUpkeep()
    await flushTouches()
    defer { counters.tell() }
    do {
      return try await body(writer)
    } catch {
      if !(error is CancellationError) { counters.countError() }
      throw error
    }
  }

  /// Runs what must not fail the call that it belongs to.
  func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch { counters.countError() }
    counters.tell()
  }

  func flushTouches() async {
    let uses = takeTouches()
    guard !uses.isEmpty else { return }
    await attempt { try await writer.touch(uses) }
    forgetFlushed(uses)
  }

  /// Writes down on the calling thread which entries were read.
  func flushTouchesNow() {
    let uses = takeTouches()
    guard !uses.isEmpty else { return }
    do { try writer.touchNow(uses) } catch { counters.countError() }
    forgetFlushed(uses)
  }

  private func startUpkeep() {
    if configuration.cleansOnItsOwn { upkeep.start(self) }
  }

  private func content(for key: CacheKey) async throws -> CacheResult<EntryFile.Content> {
    let path = layout.entry(key.digest.bytes)
    let content: EntryFile.Content?
    do {
      content = try await read(path, key)
    } catch let error as DiskCacheError {
      counters.countMiss(error.isMissing ? .absent : .failed)
      if error.isMissing { return .miss(.absent) }
      counters.countError()
      throw error
    }
    if let content { return .hit(content) }
    counters.countMiss(.damaged)
    await attempt { try await writer.removeDamaged(key) }
    return .miss(.damaged)
  }

  private func read(_ path: String, _ key: CacheKey) async throws -> EntryFile.Content? {
    try Task.checkCancellation()
    if let content = try cachedReads.read(path: path, key: key, in: fileSystem) { return content }
    return try await readers.run { [fileSystem, cachedReads, layout] _ in
      cachedReads.judge(layout.root, in: fileSystem)
      return try EntryFile.read(path: path, key: key, in: fileSystem)
    }
  }

  private func isFresh(_ metadata: EntryMetadata, modified: Date, last: Access?) -> Bool {
    switch metadata.expiration ?? settings.current.expiration {
    case .never: return true
    case .expired: return false
    case .date(let end): return time.now() < end
    case .after(let duration):
      let start = last?.lifeStart ?? modified
      return time.now().timeIntervalSince(start) < duration.inSeconds
    }
  }

  private func touch(_ key: CacheKey, _ use: Access) async {
    let isFull = state.withLock { state in
      state.touchCount += 1
      state.touches[key] = use.numbered(state.touchCount)
      return state.touches.count == Self.touchesBeforeFlush
    }
    if isFull { await background.start(byteCount: 0) { await self.flushTouches() } }
  }

  private func takeTouches() -> [(key: CacheKey, use: Access)] {
    let touches = state.withLock { state in
      defer { state.touches = [:] }
      state.flushed.merge(state.touches) { $0.order > $1.order ? $0 : $1 }
      return state.touches
    }
    return touches.sorted { $0.value.order < $1.value.order }.map { (key: $0.key, use: $0.value) }
  }

  private func forgetFlushed(_ uses: [(key: CacheKey, use: Access)]) {
    state.withLock { state in
      for (key, use) in uses where state.flushed[key]?.order == use.order { state.flushed[key] = nil }
    }
  }
}
