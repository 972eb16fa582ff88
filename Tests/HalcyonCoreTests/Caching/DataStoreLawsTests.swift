import HalcyonSupport
import HalcyonCache
import Foundation
import HalcyonTesting
import Testing

struct DataStoreLawsTests {
  @Test func `the disk cache keeps the laws of a store`() async throws {
    try await withTemporaryFolder { folder in
      try await DataStoreLaws.check {
        DiskCache(directory: folder.appending(path: UUID().uuidString, directoryHint: .isDirectory))
      }
    }
  }

  @Test func `the store in memory keeps them as well`() async throws {
    try await DataStoreLaws.check { MemoryDataStore() }
  }

  @Test(arguments: ForgetfulStore.Fault.allCases)
  func `a store that breaks a law is found out`(fault: ForgetfulStore.Fault) async throws {
    await #expect(throws: DataStoreLaws.Violation.self) {
      try await DataStoreLaws.check { ForgetfulStore(fault: fault) }
    }
  }
}

/// Breaks one law.
struct ForgetfulStore: DataStore {
  enum Fault: CaseIterable {
    case foldsCase, cutsBodies, dropsTags, keepsRemoved, keepsAll, claimsUpdates, claimsPins
  }

  let fault: Fault
  private let store = MemoryDataStore()

  init(fault: Fault) {
    self.fault = fault
  }

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    var entry = try await store.entry(for: stored(key))
    if fault == .cutsBodies, let body = entry?.body { entry?.body = Data(body.dropLast()) }
    if fault == .dropsTags { entry?.metadata.tags = [] }
    return entry
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await store.store(entry, for: stored(key))
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await store.updateMetadata(metadata, for: stored(key)) || fault == .claimsUpdates
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool { fault == .claimsPins }

  func removeEntry(for key: CacheKey) async throws {
    if fault != .keepsRemoved { try await store.removeEntry(for: stored(key)) }
  }

  func removeAll() async throws {
    if fault != .keepsAll { try await store.removeAll() }
  }

  private func stored(_ key: CacheKey) -> CacheKey {
    fault == .foldsCase ? CacheKey(key.text.lowercased()) : key
  }
}
