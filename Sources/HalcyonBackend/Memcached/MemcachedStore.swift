#if canImport(CHalcyonMemcached)
import Foundation
public import HalcyonCache
import HalcyonHTTP
public import HalcyonSupport

/// A store on memcached servers that several processes and machines share.
///
/// ```swift
/// let store = MemcachedStore(servers: [MemcachedServer(host: "10.0.0.5"), MemcachedServer(host: "10.0.0.6")])
/// let shared = TieredStore([.init(name: "disk", store: DiskCache()), .init(name: "memcached", store: store)])
/// let pipeline = ImagePipeline { $0.cache = ImageCache(store: shared) }
/// ```
///
/// All entries of one source are on one server, chosen by ketama's consistent hash. They carry a random generation,
/// which is stored beside them and read in the same request: removing the generation removes all of them, also entries
/// that are being stored. A server that fails several times in a row is ejected: its share of the keys moves to the
/// others, until a trial in the background succeeds. What was changed meanwhile is then removed from it; entries stored
/// elsewhere meanwhile live for five minutes at most. If all servers are ejected, calls fail at once: only a few calls
/// ever wait for the timeout.
///
/// Entries live as long as they are fresh and for ``MemcachedConfiguration/staleLifetime`` after that; reading does not
/// extend it. Servers evict when their memory is full. A value that is damaged, or was written by another program, is a
/// miss. Anyone who can write to the servers can replace images, as with the folder of a disk cache: keep the servers in
/// a private network.
///
/// Safe from any thread. Calls wait on threads of the store, never on threads of Swift's cooperative pool.
public final class MemcachedStore: SourcePurgingStore, MissReportingStore {
  /// The longest life of an entry on a server that stands in for an ejected one, in seconds.
  private static let substituteLifetime = 300
  private static let replacementAttempts = 5

  /// The settings.
  public let configuration: MemcachedConfiguration
  private let group: ServerGroup
  /// A pool for each server: one that hangs takes no threads from the others.
  private let pools: [WorkerPool]
  private let calls: TimedCalls
  private let names: ItemNames
  private let time: any TimeSource
  private let counters = Lock(MemcachedStatistics())
  private let trials = Lock<[Int: Task<Void, Never>]>([:])

  /// Creates a store; servers are connected to when they are needed.
  ///
  /// - Parameters:
  ///   - servers: At least one, in the same order in all processes.
  ///   - configuration: The settings.
  ///   - time: The clocks of expirations and trials; timeouts of connections go by the system's clock.
  public init(
    servers: [MemcachedServer], configuration: MemcachedConfiguration = MemcachedConfiguration(),
    time: any TimeSource = SystemTime()
  ) {
    precondition(!servers.isEmpty, "a memcached store needs at least one server")
    precondition(
      ItemNames.isValid(namespace: configuration.namespace),
      "“\(configuration.namespace)” is not a valid namespace: use 1 to 64 letters, digits, “-”, “_” and “.”")
    self.configuration = configuration
    self.time = time
    names = ItemNames(namespace: configuration.namespace)
    group = ServerGroup(servers, configuration, time: time)
    calls = TimedCalls(timeout: configuration.timeout)
    pools = servers.map { _ in WorkerPool(name: "memcached", width: max(1, configuration.connectionLimit), spins: true)
    }
  }

  deinit {
    for trial in trials.withLock({ $0.values.map(\.self) }) { trial.cancel() }
  }

  /// Waits until no ejected server is being tried.
  func waitForTrials() async {
    for trial in trials.withLock({ $0.values.map(\.self) }) { await trial.value }
  }

  /// The servers.
  public var servers: [MemcachedServer] { group.addresses }

  /// The counters since the creation of the store.
  public var statistics: MemcachedStatistics {
    var statistics = counters.withLock { $0 }
    let counts = group.counts
    (statistics.opens, statistics.ejectedServerCount) = (counts.opens, counts.ejected.count)
    return statistics
  }

  /// The entry stored under a key, or `nil`.
  ///
  /// - Throws: ``MemcachedError``.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry stored under a key, or the reason of the miss.
  ///
  /// - Throws: ``MemcachedError``.
  package func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    guard canStore(key) else { return .miss(.absent) }
    let items = names.items(of: key)
    let now = time.now()
    let (result, isOverLimit) = try await callChosen(items.group) { server in
      try await lookUp(key, items, at: server, now)
    }
    counters.withLock { counters in
      if isOverLimit { counters.oversized += 1 }
      if result.value != nil { counters.hits += 1 } else { counters.misses += 1 }
      if result.miss == .damaged { counters.damaged += 1 }
      if result.miss == .otherFormat { counters.otherFormats += 1 }
    }
    return result
  }

  /// Stores an entry, unless it is over ``MemcachedConfiguration/itemByteLimit``: then an older one is removed.
  ///
  /// - Throws: ``MemcachedError``.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    _ = try await storeIfPossible(entry, for: key)
  }

  /// Stores an entry, and returns whether it was stored: not if it is too large, or has expired.
  func storeIfPossible(_ entry: StoredEntry, for key: CacheKey) async throws -> Bool {
    guard canStore(key) else { return false }
    let items = names.items(of: key)
    let (date, limit) = (time.now(), configuration.itemByteLimit)
    let shared = SharedEntry(entry, storedDate: date)
    guard entry.body.count <= limit, !shared.isExpired(at: date) else {
      try await passBy(items, entry)
      return false
    }
    let exptime = exptime(of: entry.metadata, at: date)
    group.noteChange(of: items.value)
    let isStored = try await call(items.group) { connection throws(MemcachedError) in
      var shared = shared
      shared.generations = try Self.generations(items, connection)
      guard let data = shared.encoded(for: key) else { throw .metadataTooLarge }
      guard data.count <= limit else {
        try connection.remove(items.value)
        return false
      }
      try connection.set(items.value, data, exptime: exptime)
      return true
    }
    counters.withLock { if isStored { $0.stores += 1 } else { $0.oversized += 1 } }
    return isStored
  }

  /// Replaces the metadata of an entry, unless it becomes too large: then it is removed. The whole entry is read and
  /// written.
  ///
  /// - Throws: ``MemcachedError``.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    guard canStore(key) else { return false }
    let items = names.items(of: key)
    let now = time.now()
    let (exptime, limit) = (exptime(of: metadata, at: now), configuration.itemByteLimit)
    group.noteChange(of: items.value)
    return try await call(items.group) { connection throws(MemcachedError) in
      for _ in 1...Self.replacementAttempts {
        let found = try connection.items(items.all)
        guard let item = found[items.value], var shared = Self.current(found, items, key), !shared.isExpired(at: now)
        else { return false }
        shared.entry.metadata = metadata
        guard let data = shared.encoded(for: key) else { throw .metadataTooLarge }
        guard data.count <= limit else {
          try connection.remove(items.value)
          return false
        }
        if try connection.replace(items.value, data, version: item.version, exptime: exptime) { return true }
      }
      throw .conflict
    }
  }

  /// Removes one entry.
  ///
  /// - Throws: ``MemcachedError``.
  public func removeEntry(for key: CacheKey) async throws {
    guard canStore(key) else { return }
    let items = names.items(of: key)
    group.noteChange(of: items.value)
    try await call(items.group) { connection throws(MemcachedError) in try connection.remove(items.value) }
  }

  /// Invalidates all entries of the namespace. Takes one call for each server.
  ///
  /// - Throws: ``MemcachedError/notRemoved(servers:)`` with the servers that could not be reached.
  public func removeAll() async throws {
    group.noteChange(of: nil)
    try await removeEverywhere(names.namespace)
  }

  /// Invalidates all entries of a source. Takes one call for each server; returns 0.
  ///
  /// - Throws: ``MemcachedError/notRemoved(servers:)`` with the servers that could not be reached.
  @discardableResult
  public func removeEntries(ofSource source: String) async throws -> Int {
    let item = names.source(source)
    group.noteChange(of: item)
    try await removeEverywhere(item)
    return 0
  }
}

extension MemcachedStore {
  /// Removes the older entry in place of one that is not stored.
  private func passBy(_ items: ItemNames.Items, _ entry: StoredEntry) async throws {
    if entry.body.count > configuration.itemByteLimit { counters.withLock { $0.oversized += 1 } }
    group.noteChange(of: items.value)
    try await call(items.group) { connection throws(MemcachedError) in try connection.remove(items.value) }
  }

  /// The expiration time of an item as memcached has it: 0 is never, up to 30 days are counted from now, more is a date.
  private func exptime(of metadata: EntryMetadata, at now: Date) -> Int {
    let seconds = min(
      lifetime(of: metadata, at: now), group.hasEjected ? Double(Self.substituteLifetime) : .infinity)
    guard seconds < 50 * 365 * 86_400 else { return 0 }
    let whole = Int(max(1, seconds.rounded(.up)))
    return whole <= 30 * 86_400 ? whole : Int(now.timeIntervalSince1970) + whole
  }

  private func lifetime(of metadata: EntryMetadata, at now: Date) -> Double {
    switch metadata.expiration {
    case .never: return .infinity
    case .expired: return 0
    case .after(let duration, since: _): return duration.inSeconds
    case .date(let end): return end.timeIntervalSince(now)
    case nil:
      return HTTPCacheRules().remainingLifetime(of: metadata, at: now) + configuration.staleLifetime.inSeconds
    }
  }
}

extension MemcachedStore {
  /// Runs `body` with a connection to the server of a group of keys.
  private func call<Value: Sendable>(
    _ keyGroup: String, _ body: @escaping @Sendable (Connection) throws(MemcachedError) -> Value
  ) async throws -> Value {
    try await callChosen(keyGroup) { server in try await call(server, body) }
  }

  /// Runs `body` with the number of the server of a group of keys.
  private func callChosen<Value: Sendable>(
    _ keyGroup: String, _ body: (Int) async throws -> Value
  ) async throws -> Value {
    let choice = group.choose(keyGroup)
    for trial in choice.trials { startTrial(trial) }
    guard let server = choice.server else {
      counters.withLock { $0.refusals += 1 }
      throw MemcachedError.unavailable
    }
    let value = try await body(server)
    group.recordSuccess(server)
    return value
  }

  /// Looks an entry up. The request is sent from here: the server responds while a thread begins to wait for it.
  private func lookUp(
    _ key: CacheKey, _ items: ItemNames.Items, at server: Int, _ now: Date
  ) async throws -> (CacheResult<StoredEntry>, isOverLimit: Bool) {
    try await counted(server) {
      let requested = try group.request(items.all, from: server)
      return try await calls.run(on: pools[server]) { [group] in
        let found = try group.items(items.all, from: server, requested)
        return (Self.result(found, items, key, at: now), found.isOverLimit)
      }
    }
  }

  /// Runs `body` with a connection to a server; a failure is counted.
  private func call<Value: Sendable>(
    _ server: Int, _ body: @escaping @Sendable (Connection) throws(MemcachedError) -> Value
  ) async throws -> Value {
    try await counted(server) {
      try await calls.run(on: pools[server]) { [group] in try group.withConnection(to: server, body) }
    }
  }

  /// Runs `body`, and counts its failure as one of a server.
  private func counted<Value: Sendable>(_ server: Int, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as MemcachedError where !error.isFaultOfStore {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let timeout = MemcachedError.timedOut(server: servers[server], limit: configuration.timeout)
      let failure = error is TimedCalls.TimedOut ? timeout : error
      let isTimeout = failure as? MemcachedError == timeout
      group.recordFailure(server)
      counters.withLock { counters in
        counters.errors += 1
        if isTimeout { counters.timeouts += 1 }
      }
      throw failure
    }
  }

  /// Removes an item from all servers.
  private func removeEverywhere(_ name: String) async throws {
    let (available, due) = group.available()
    for trial in due { startTrial(trial) }
    var missing = Set(servers.indices).subtracting(available)
    for server in available {
      do {
        try await call(server) { connection throws(MemcachedError) in try connection.remove(name) }
        group.recordSuccess(server)
      } catch is MemcachedError {
        missing.insert(server)
      }
    }
    if !missing.isEmpty { throw MemcachedError.notRemoved(servers: missing.sorted().map { servers[$0] }) }
  }

  /// Tries an ejected server, removes what was changed meanwhile, and brings it back.
  private func startTrial(_ server: Int) {
    let task = Task { [weak self] in
      guard let self else { return }
      await tryServer(server)
      trials.withLock { $0[server] = nil }
    }
    trials.withLock { $0[server] = task }
  }

  private func tryServer(_ server: Int) async {
    repeat {
      let missed = group.takeMissed(server)
      do {
        try await call(server) { [names] connection throws(MemcachedError) in
          try connection.checkServer()
          if missed.isAll { try connection.remove(names.namespace) }
          for key in missed.keys { try connection.remove(key) }
        }
      } catch {
        return group.returnMissed(missed, server)
      }
    } while !group.bringBack(server)
  }
}

extension MemcachedStore: SelectiveStore {
  func canStore(_ key: CacheKey) -> Bool { !key.isOfPartialBody }
}

extension MemcachedError: StoreError {
  var isFaultOfStore: Bool {
    switch self {
    case .timedOut, .failed, .notRemoved: true
    case .unavailable, .metadataTooLarge, .conflict: false
    }
  }
}
#endif
