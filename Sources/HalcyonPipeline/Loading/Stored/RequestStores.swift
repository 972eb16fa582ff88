import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// The caches and stores of a request.
extension PipelineConfiguration {
  /// The cache of the request. Inlined, since a call would copy the large configuration.
  @inline(__always)
  func cache(for request: ImageRequest) -> ImageCache { request.optionsBox?.options.cache ?? cache }

  /// The store of the request's cache with the options of the request; `nil` if it has none.
  func store(for request: ImageRequest) -> (any DataStore)? {
    let cache = cache(for: request)
    guard var store = observed(cache.encodedStore) else { return nil }
    if !request.writesStore { store = ReadOnlyStore(base: store) }
    guard request.optionsBox != nil else { return store }
    let options = request.storeOptions
    return options == StoreOptions()
      ? store : RequestStore(base: store, options: options, metadataUpdates: cache.metadataUpdates)
  }

  /// HTTP caching over this store; `nil` if there is none.
  func httpCache(for request: ImageRequest) -> HTTPCache? {
    store(for: request).map { HTTPCache(store: $0, rules: httpCaching) }
  }

  /// Applies the tags, the expiration and the pin of a request to its stored entries, if there are any. A failure changes
  /// nothing; the next read repeats it.
  func applyStoreOptions(of request: ImageRequest) async {
    let (keys, cache) = (RequestKeys(request), cache(for: request))
    for key in [keys.fetch, keys.variant(request.storagePolicy)].compactMap(\.self) {
      guard let store = observed(cache.encodedStore),
        let storedKey = try? await HTTPCache(store: store).storedKey(
          for: key, requestHeaders: request.headers.adding(headers))
      else { continue }
      let options = request.storeOptions
      await RequestStore(base: store, options: options, metadataUpdates: cache.metadataUpdates).applyOptions(
        to: storedKey)
    }
  }

  /// A store that reports its failures to the event handler.
  func observed(_ store: (any DataStore)?) -> (any DataStore)? {
    guard let store, let eventHandler else { return store }
    return ObservedStore(base: store) { eventHandler(PipelineEvent(kind: .storeFailed($0))) }
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
      && writesStore
  }

  var storeOptions: StoreOptions {
    guard let options = optionsBox?.options else { return StoreOptions() }
    return StoreOptions(
      expiration: options.storeExpiration, tags: options.tags ?? [], isPinned: options.isPinned ?? false)
  }
}

/// A store that changes some operations of another one.
private protocol StoreWrapper: MissReportingStore {
  var base: any DataStore { get }
}

extension StoreWrapper {
  func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> { try await base.lookUp(key) }

  func containsEntry(for key: CacheKey) async throws -> Bool { try await base.containsEntry(for: key) }

  func metadata(for key: CacheKey) async throws -> EntryMetadata? { try await base.metadata(for: key) }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws { try await base.store(entry, for: key) }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await base.setPinned(isPinned, for: key)
  }

  func removeEntry(for key: CacheKey) async throws { try await base.removeEntry(for: key) }

  func removeAll() async throws { try await base.removeAll() }
}

/// A store with the options of one request: entries that are written or read get its expiration, tags and pin.
private struct RequestStore: StoreWrapper {
  let base: any DataStore
  let options: StoreOptions
  let metadataUpdates: SerialWork

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    let result = try await base.lookUp(key)
    guard case .hit(var entry) = result else { return result }
    if needsOptions(entry.metadata) { await applyOptions(to: key) } else { await pin(key) }
    apply(to: &entry.metadata)
    return .hit(entry)
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    var entry = entry
    apply(to: &entry.metadata)
    try await base.store(entry, for: key)
    await pin(key)
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    var metadata = metadata
    apply(to: &metadata)
    return try await base.updateMetadata(metadata, for: key)
  }

  /// Applies the options to a stored entry, which is written only if that changes it. Serial, so that concurrent requests
  /// do not overwrite each other's tags.
  func applyOptions(to key: CacheKey) async {
    await metadataUpdates.run { [self] in
      if var metadata = try? await base.metadata(for: key), needsOptions(metadata) {
        apply(to: &metadata)
        _ = try? await base.updateMetadata(metadata, for: key)
      }
      await pin(key)
    }
  }

  private func needsOptions(_ metadata: EntryMetadata) -> Bool {
    options.expiration.map { $0 != metadata.expiration } ?? false
      || options.tags.contains { !metadata.tags.contains($0) }
  }

  private func apply(to metadata: inout EntryMetadata) {
    metadata.expiration = options.expiration ?? metadata.expiration
    metadata.tags += options.tags.filter { !metadata.tags.contains($0) }
  }

  /// An entry that cannot be pinned is stored all the same.
  private func pin(_ key: CacheKey) async {
    if options.isPinned { _ = try? await base.setPinned(true, for: key) }
  }
}

/// A store for requests that must not write to it: neither entries nor what a 304 changes of their metadata, and nothing is
/// removed.
private struct ReadOnlyStore: StoreWrapper {
  let base: any DataStore

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {}

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool { false }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool { false }

  func removeEntry(for key: CacheKey) async throws {}

  func removeAll() async throws {}
}

/// A store that reports its failures: loads go on without it, and would hide them.
private struct ObservedStore: StoreWrapper {
  let base: any DataStore
  let onFailure: @Sendable (any Error) -> Void

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    try await observing { try await base.lookUp(key) }
  }

  func containsEntry(for key: CacheKey) async throws -> Bool {
    try await observing { try await base.containsEntry(for: key) }
  }

  func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    try await observing { try await base.metadata(for: key) }
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await observing { try await base.store(entry, for: key) }
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await observing { try await base.updateMetadata(metadata, for: key) }
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await observing { try await base.setPinned(isPinned, for: key) }
  }

  func removeEntry(for key: CacheKey) async throws { try await observing { try await base.removeEntry(for: key) } }

  func removeAll() async throws { try await observing { try await base.removeAll() } }

  private func observing<Value>(_ call: () async throws -> Value) async throws -> Value {
    do {
      return try await call()
    } catch {
      if !(error is CancellationError) { onFailure(error) }
      throw error
    }
  }
}
