import HalcyonTestDoubles
import HalcyonCache
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport

@testable import HalcyonBackend

/// A store in memory that fails or hangs.
@dynamicMemberLookup
final class FaultyTier: SourcePurgingStore, SelectiveStore, MissReportingStore {
  struct Failure: Error {}

  enum Fault { case failure, changeFailure, hang, notStorable }

  struct State: Sendable {
    var fault: Fault?
    var callCount = 0
    /// Holds stores.
    var storeGate: Gate?
    /// Whether only keys that are even numbers are stored.
    var storesEvens = false
    /// Whether entries are left out.
    var isFull = false
    /// The result of all look-ups.
    var miss: CacheMiss?
  }

  let base = MemoryDataStore()
  private let state = Lock(State())

  subscript<Value: Sendable>(dynamicMember path: any WritableKeyPath<State, Value> & Sendable) -> Value {
    get { state.withLock { $0[keyPath: path] } }
    set { state.withLock { $0[keyPath: path] = newValue } }
  }

  func canStore(_ key: CacheKey) -> Bool { !self.storesEvens || Int(key.text)?.isMultiple(of: 2) ?? true }

  func storeIfPossible(_ entry: StoredEntry, for key: CacheKey) async throws -> Bool {
    if self.isFull {
      try await pass()
      return false
    }
    try await store(entry, for: key)
    return true
  }

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    if let miss = self.miss { return .miss(miss) }
    return try await entry(for: key).map { .hit($0) } ?? .miss(.absent)
  }

  private func pass(isChange: Bool = true) async throws {
    let fault = state.withLock { state in
      state.callCount += 1
      return state.fault
    }
    switch fault {
    case nil: break
    case .failure: throw Failure()
    case .changeFailure: if isChange { throw Failure() }
    case .notStorable: throw S3StoreError.metadataTooLarge
    // Does not end when it is cancelled: a budget may not depend on that.
    case .hang: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
  }

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    try await pass(isChange: false)
    return try await base.entry(for: key)
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await pass()
    try await self.storeGate?.wait()
    try await base.store(entry, for: key)
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await pass()
    return try await base.updateMetadata(metadata, for: key)
  }

  func removeEntry(for key: CacheKey) async throws {
    try await pass()
    try await base.removeEntry(for: key)
  }

  func removeAll() async throws {
    try await pass()
    try await base.removeAll()
  }

  func removeEntries(ofSource source: String) async throws -> Int {
    try await pass()
    let keys = base.keys.filter { $0.source?.text == source }
    for key in keys { try await base.removeEntry(for: key) }
    return keys.count
  }
}

/// A store that pins what it has, or fails to.
struct PinningStore: PassingStore {
  let base = MemoryDataStore()
  var fails = false

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    if fails { throw FaultyTier.Failure() }
    return try await base.metadata(for: key) != nil
  }
}
