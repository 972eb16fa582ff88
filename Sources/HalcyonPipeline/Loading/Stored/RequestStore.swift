import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// The caches and stores of a request.
extension PipelineConfiguration {
  /// The cache of the request. Inlined, since a call would copy the large configuration.
  @inline(__always)
  func cache(for request: ImageRequest) -> ImageCache { request.optionsBox?.options.cache ?? cache }

  /// The store of the request's cache with the options of the request; `nil` if it has none.
  ///
  /// - Parameter isReadOnly: Whether it must not be changed, whatever the request says.
  func store(for request: ImageRequest, isReadOnly: Bool = false) -> (any DataStore)? {
    guard var store = observedStore(of: cache(for: request)) else { return nil }
    (store.options, store.isReadOnly) = (request.storeOptions, isReadOnly || !request.resolved.storeAccess.writes)
    return store.isPlain ? store.base : store
  }

  /// The store of a cache, which reports its failures to the event handler; `nil` if it has none.
  func observedStore(of cache: ImageCache) -> RequestStore? {
    cache.encodedStore.map {
      RequestStore(base: $0, metadataUpdates: cache.metadataUpdates, eventHandler: eventHandler)
    }
  }

  /// HTTP caching over this store; `nil` if there is none.
  func httpCache(for request: ImageRequest, isReadOnly: Bool = false) -> HTTPCache? {
    store(for: request, isReadOnly: isReadOnly).map { HTTPCache(store: $0, rules: httpCaching) }
  }

  /// Applies the tags, the expiration and the pin of a request to its stored entries, if there are any. A failure changes
  /// nothing; the next read repeats it.
  func applyStoreOptions(of request: ImageRequest) async {
    guard var store = observedStore(of: cache(for: request)) else { return }
    store.options = request.storeOptions
    let keys = RequestKeys(request)
    for key in [keys.fetch, keys.variant(request.resolved.storage)].compactMap(\.self) {
      let storedKey = try? await HTTPCache(store: store).storedKey(
        for: key, requestHeaders: request.headers.adding(headers))
      if let storedKey { await store.applyOptions(to: storedKey) }
    }
  }

  /// Applies the tags, the expiration and the pin of a request whose image was in memory to its stored entries, in the
  /// background, once pending writes have ended.
  func applyStoreOptions(toHitOf request: ImageRequest) {
    guard request.changesEntries else { return }
    let writes = cache(for: request).writes
    let pending = writes.pending
    writes.track { [self] in
      for write in pending { await write.value }
      await applyStoreOptions(of: request)
    }
  }
}

/// The options of a request that apply to the entries it reads and writes.
struct StoreOptions: Hashable {
  var expiration: CacheExpiration?
  var tags: [String] = []
  var isPinned = false
}

extension ImageRequest {
  /// Whether the request sets options that apply to stored entries, also to those that it reads.
  var changesEntries: Bool {
    guard let options = optionsBox?.options else { return false }
    return (options.tags != nil || options.isPinned == true || options.storeExpiration != nil)
      && resolved.storeAccess.writes
  }

  var storeOptions: StoreOptions {
    guard let options = optionsBox?.options else { return StoreOptions() }
    return StoreOptions(
      expiration: options.storeExpiration, tags: options.tags ?? [], isPinned: options.isPinned ?? false)
  }
}

/// The store of a cache as one request uses it.
///
/// - Entries that are written or read get the expiration, tags and pin of the request.
/// - A request that must not write changes nothing: neither entries nor what a 304 changes of their metadata, and nothing
///   is removed.
/// - Failures are reported: loads go on without the store, and would hide them.
struct RequestStore: MissReportingStore, ReplacingStore {
  let base: any DataStore
  let metadataUpdates: SerialWork
  let eventHandler: (@Sendable (PipelineEvent) -> Void)?
  var options = StoreOptions()
  var isReadOnly = false

  /// Whether it does the same as ``base``.
  var isPlain: Bool { eventHandler == nil && options == StoreOptions() && !isReadOnly }

  func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    let result = try await observing { try await base.lookUp(key) }
    guard case .hit(var entry) = result else { return result }
    if needsOptions(entry.metadata) { await applyOptions(to: key) } else { await pin(key) }
    apply(to: &entry.metadata)
    return .hit(entry)
  }

  func containsEntry(for key: CacheKey) async throws -> Bool {
    try await observing { try await base.containsEntry(for: key) }
  }

  func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    try await observing { try await base.metadata(for: key) }
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    if isReadOnly { return }
    var entry = entry
    apply(to: &entry.metadata)
    try await observing { [entry] in try await base.store(entry, for: key) }
    await pin(key)
  }

  @discardableResult
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    if isReadOnly { return false }
    var metadata = metadata
    apply(to: &metadata)
    return try await observing { [metadata] in try await base.updateMetadata(metadata, for: key) }
  }

  @discardableResult
  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    isReadOnly ? false : try await observing { try await base.setPinned(isPinned, for: key) }
  }

  func removeEntry(for key: CacheKey) async throws {
    if !isReadOnly { try await observing { try await base.removeEntry(for: key) } }
  }

  @discardableResult
  func removeEntries(ofSource source: String) async throws -> Int {
    isReadOnly ? 0 : try await observing { try await base.removeEntries(ofSource: source) }
  }

  func removeReplaced(ofSource source: String, except key: CacheKey?) async throws {
    if !isReadOnly { try await observing { try await base.removeReplacedEntries(ofSource: source, except: key) } }
  }

  func removeAll() async throws {
    if !isReadOnly { try await observing { try await base.removeAll() } }
  }

  /// Applies the options to a stored entry, which is written only if that changes it. Serial, so that concurrent requests
  /// do not overwrite each other's tags.
  func applyOptions(to key: CacheKey) async {
    if isReadOnly { return }
    await metadataUpdates.run { [self] in
      if let metadata = try? await metadata(for: key), needsOptions(metadata) {
        _ = try? await updateMetadata(metadata, for: key)
      }
      await pin(key)
    }
  }

  private func needsOptions(_ metadata: EntryMetadata) -> Bool {
    expiration(of: metadata) != metadata.expiration
      || options.tags.contains { !metadata.tags.contains($0) }
  }

  /// That of the request, but an image of an error status has no longer lifetime than its response.
  private func expiration(of metadata: EntryMetadata) -> CacheExpiration? {
    metadata.status < 300 ? options.expiration ?? metadata.expiration : metadata.expiration
  }

  private func apply(to metadata: inout EntryMetadata) {
    metadata.expiration = expiration(of: metadata)
    metadata.tags += options.tags.filter { !metadata.tags.contains($0) }
  }

  /// An entry that cannot be pinned is stored all the same.
  private func pin(_ key: CacheKey) async {
    if options.isPinned { _ = try? await setPinned(true, for: key) }
  }

  private func observing<Value>(_ call: () async throws -> Value) async throws -> Value {
    do {
      return try await call()
    } catch {
      if !(error is CancellationError) { eventHandler?(PipelineEvent(kind: .storeFailed(error))) }
      throw error
    }
  }
}
