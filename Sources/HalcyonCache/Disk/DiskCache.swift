public import HalcyonSupport
public import Foundation

/// A cache of encoded images in files below one folder, which evicts the least recently used.
///
/// The folder never takes more disk space than ``DiskCacheConfiguration/sizeLimit``, however many processes share it; a
/// limit under 16 MiB covers the entries only. Entries are written atomically and verified by checksums when they are
/// read; a process that is killed loses only the entry it was writing. Only the owner can read the folder, which may be
/// deleted at any time. It belongs to the effective user or to root, and nothing in it is a symbolic link, though the folder
/// itself may be one: otherwise another user could have prepared it, and calls throw
/// ``DiskCacheError/unsafeFolder(path:)``.
///
/// Versions of the library whose files have different formats can use the folder at once: each has entries of its own,
/// and its limit covers only those. No version changes or removes the entries of another format.
///
/// All calls are safe from any task. Files are read and written on threads of the cache, except for small entries in
/// the page cache of the kernel (Linux 5.12 and later): these are read on the calling thread, in microseconds.
///
/// ```swift
/// let cache = DiskCache(directory: folder, configuration: DiskCacheConfiguration(sizeLimit: 100 << 20))
/// let pipeline = ImagePipeline { $0.cache = ImageCache(store: cache) }
/// ```
public final class DiskCache: SourcePurgingStore, MissReportingStore, ReplacingStore {
  /// The folder of the cache.
  public let directory: URL

  let writer: DiskWriter
  let readers = WorkerPool(name: "reader", width: 2)
  let fileSystem: any FileSystem
  let layout: DiskLayout
  private let nonblockingReads = NonblockingReads()
  private let hasCheckedFolders = Atomic(false)
  let time: any TimeSource
  let counters = DiskCounters()
  let removals = RemovalHistory()
  private let maintenance = DiskMaintenance()
  private let background = BackgroundWrites(byteLimit: 0)
  private let settings: DiskSettings
  private let pendingAccesses = Lock(PendingAccesses())

  /// Creates a cache. Nothing is read or written before its first use.
  ///
  /// - Parameters:
  ///   - directory: A folder that nothing else uses; created when missing. Default: ``defaultDirectory``.
  ///   - configuration: Its limits and policies.
  ///   - time: The clocks for expiration and the cleaning timer.
  public convenience init(
    directory: URL = DiskCache.defaultDirectory, configuration: DiskCacheConfiguration = DiskCacheConfiguration(),
    time: any TimeSource = SystemTime()
  ) {
    self.init(directory: directory, configuration: configuration, time: time, fileSystem: SystemFiles())
  }

  /// Creates a cache whose system calls go through `fileSystem`.
  ///
  /// - Parameter format: The format of the files, of this or another version.
  package init(
    directory: URL = DiskCache.defaultDirectory, configuration: DiskCacheConfiguration = DiskCacheConfiguration(),
    time: any TimeSource = SystemTime(), fileSystem: any FileSystem = SystemFiles(), format: Int = DiskCache.format
  ) {
    self.directory = directory
    self.time = time
    self.fileSystem = fileSystem
    layout = DiskLayout(root: directory.path(percentEncoded: false), format: format)
    settings = DiskSettings(configuration)
    writer = DiskWriter(layout: layout, settings: settings, time: time, fileSystem: fileSystem, counters: counters)
  }

  /// The limits and policies of the cache. A lower size limit takes effect with the next write, or with ``clean()``.
  public var configuration: DiskCacheConfiguration {
    get { settings.current }
    set { settings.current = newValue }
  }

  /// Counters since the creation of the cache.
  public var statistics: CacheStatistics { counters.statistics }

  /// The report of the last cleaning, automatic or requested; `nil` before the first.
  public var lastCleaning: CleaningReport? { counters.lastCleaning }

  /// The observers of removed entries.
  package var evictionObservers: EvictionObservers { counters.evictionObservers }

  /// The entry stored under `key`; `nil` when there is none, or it is expired or damaged.
  ///
  /// The entry becomes the most recently used.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry stored under `key`, or the reason of the miss; see ``entry(for:)``.
  package func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    startMaintenance()
    // Read before the file: an access that is flushed meanwhile is found here or in the file.
    let last = pendingAccess(of: key)
    let content: EntryFile.Content
    switch try await self.content(for: key) {
    case .hit(let found): content = found
    case .miss(let miss): return .miss(miss)
    }
    guard isFresh(content.entry.metadata, stored: content.stored, lastUse: last?.date ?? content.modified) else {
      counters.countMiss(.expired)
      await countingErrors { counters.countEvictions(try await writer.removeUnchanged(content.id), .expiration) }
      return .miss(.expired)
    }
    counters.countHit(content.entry.body.count)
    record(Access(at: time.now()), for: key)
    return .hit(content.entry)
  }

  /// Whether there is an entry under `key` that is not expired.
  ///
  /// Reads its metadata, not its image, so that damage to the image goes unnoticed. Does not count as use, nor in the
  /// statistics.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    try await metadata(for: key) != nil
  }

  /// The metadata of the entry under `key`; `nil` when there is none, or it is expired.
  ///
  /// Otherwise like ``containsEntry(for:)``.
  ///
  /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    let last = pendingAccess(of: key)
    let path = layout.entry(key.digest.bytes)
    do {
      let file = try await readers.run { [self] _ in
        try checkFolders()
        return try EntryFile.describe(path: path, in: fileSystem)
      }
      guard let file, file.key == key else { return nil }
      return isFresh(file.metadata, stored: file.stored, lastUse: last?.date ?? file.modified) ? file.metadata : nil
    } catch let error as DiskCacheError where error.isMissing {
      return nil
    }
  }

  /// Stores an entry, replacing the one under `key`. Others are evicted first, so that the limit always holds.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await withWriter { writer in try await writer.store(entry, for: key, context) }
  }

  /// Updates the metadata of an entry with one small write; the body is not rewritten.
  ///
  /// Counts as use, as after a successful revalidation.
  ///
  /// - Returns: Whether there is an entry under `key`.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    let isUpdated = try await withWriter { writer in
      switch try await writer.updateMetadata(metadata, for: key, context) {
      case .updated: return true
      case .noEntry: return false
      case .slotTooSmall:
        guard var content = try await content(for: key).value else { return false }
        content.entry.metadata = metadata
        return try await writer.replace(content, for: key, context)
      }
    }
    if isUpdated { record(Access(at: time.now(), isRead: false), for: key) }
    return isUpdated
  }

  /// Removes the entry under `key`.
  public func removeEntry(for key: CacheKey) async throws {
    _ = try await withWriter { writer in try await writer.removeEntry(of: key) }
  }

  /// Removes all entries, including pinned ones. Loads in flight deliver their images, but do not store them here.
  public func removeAll() async throws {
    _ = try await removals.recordAll { try await withWriter { writer in try await writer.removeAll() } }
  }
}

extension DiskCache {
  var context: DiskWriter.Context { DiskWriter.Context(configuration: configuration, now: time.now()) }

  /// Runs a change of the cache, after the pending accesses were written to the index.
  func withWriter<Result>(_ body: (DiskWriter) async throws -> Result) async throws -> Result {
    startMaintenance()
    await flushAccesses()
    defer { counters.notifyObservers() }
    do {
      return try await body(writer)
    } catch {
      if !(error is CancellationError) { counters.countError() }
      throw error
    }
  }

  /// Runs work whose failure is counted but does not fail the call.
  func countingErrors(_ body: () async throws -> Void) async {
    do { try await body() } catch { counters.countError() }
    counters.notifyObservers()
  }

  /// Records the use of an entry, if there is one, whose image or copy was found in memory. Returns at once.
  func recordUse(of key: CacheKey) {
    startMaintenance()
    record(Access(at: time.now()), for: key)
  }

  /// The pending accesses, to be written to the index; none without a folder, which writing would create.
  private func beginFlush() -> [(key: CacheKey, access: Access)] {
    let accesses = pendingAccesses.withLock { $0.beginFlush() }
    if accesses.isEmpty || (try? fileSystem.status(of: layout.root)) != nil { return accesses }
    pendingAccesses.withLock { $0.endFlush(accesses) }
    return []
  }

  /// Writes the pending accesses to the index.
  func flushAccesses() async {
    let accesses = beginFlush()
    guard !accesses.isEmpty else { return }
    await countingErrors { try await writer.record(accesses) }
    pendingAccesses.withLock { $0.endFlush(accesses) }
  }

  /// Writes the pending accesses to the index, on the calling thread.
  func flushAccessesNow() {
    let accesses = beginFlush()
    guard !accesses.isEmpty else { return }
    do { try writer.recordNow(accesses) } catch { counters.countError() }
    pendingAccesses.withLock { $0.endFlush(accesses) }
  }

  private func pendingAccess(of key: CacheKey) -> Access? { pendingAccesses.withLock { $0.access(for: key) } }

  private func record(_ access: Access, for key: CacheKey) {
    let count = pendingAccesses.withLock { $0.record(access, for: key) }
    if count == PendingAccesses.flushThreshold { background.track { await self.flushAccesses() } }
    if count == 1, hasMaintenance { maintenance.flushSoon(self) }
  }

  private var hasMaintenance: Bool { !configuration.cleaning.occasions.isDisjoint(with: [.firstUse, .timer]) }

  private func startMaintenance() {
    if hasMaintenance { maintenance.start(self) }
  }

  private func content(for key: CacheKey) async throws -> CacheResult<EntryFile.Content> {
    let result: CacheResult<EntryFile.Content>
    do {
      result = try await read(key)
    } catch let error as DiskCacheError {
      counters.countMiss(.failed)
      counters.countError()
      throw error
    }
    if let miss = result.miss { counters.countMiss(miss) }
    if result.miss == .damaged { await countingErrors { try await writer.removeDamaged(key.digest.bytes) } }
    return result
  }

  private func read(_ key: CacheKey) async throws -> CacheResult<EntryFile.Content> {
    try Task.checkCancellation()
    let path = layout.entry(key.digest.bytes)
    if let content = nonblockingReads.read(path: path, key: key, in: fileSystem) { return .hit(content) }
    return try await readers.run { [self] _ in
      try checkFolders()
      nonblockingReads.checkSupport(of: layout.root, in: fileSystem)
      do throws(DiskCacheError) {
        return try EntryFile.read(path: path, key: key, in: fileSystem).map { .hit($0) } ?? .miss(.damaged)
      } catch {
        if error.systemCode == ELOOP { return .miss(.damaged) }
        guard error.isMissing else { throw error }
        // Checked here, so that a miss takes one visit to this thread, whether or not a download can be resumed.
        let part = layout.entry(key.ofPartialBody.digest.bytes)
        return .miss((try? fileSystem.status(of: part)) == nil ? .absent : .partial)
      }
    }
  }

  /// Checks the owners of the folders before the first read. Blocks the calling thread.
  private func checkFolders() throws(DiskCacheError) {
    if !hasCheckedFolders.load() { hasCheckedFolders.store(try layout.checkFolders(in: fileSystem)) }
  }

  private func isFresh(_ metadata: EntryMetadata, stored: Date, lastUse: Date) -> Bool {
    expirationDate(of: metadata, stored: stored, lastUse: lastUse).map { time.now() < $0 } ?? true
  }

  /// When the entry in a file was last read or written.
  func lastUse(of file: EntryFile.Description) -> Date { pendingAccess(of: file.key)?.date ?? file.modified }

  /// The date on which an entry expires; `nil` for never.
  func expirationDate(of metadata: EntryMetadata, stored: Date, lastUse: Date) -> Date? {
    switch metadata.expiration ?? settings.current.expiration {
    case .never: nil
    case .expired: .distantPast
    case .date(let end): end
    case .after(let duration, since: .lastUse): lastUse.addingTimeInterval(duration.inSeconds)
    case .after(let duration, since: .storing): stored.addingTimeInterval(duration.inSeconds)
    }
  }
}
