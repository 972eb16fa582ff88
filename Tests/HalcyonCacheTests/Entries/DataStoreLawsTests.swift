import HalcyonSupport
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct DataStoreLawsTests {
  @Test func `the disk cache satisfies the data store laws`() async throws {
    try await TemporaryDirectory.run { folder in
      try await DataStoreLaws.check {
        DiskCache(directory: folder.appending(path: UUID().uuidString, directoryHint: .isDirectory))
      }
    }
  }

  @Test func `the memory data store satisfies the data store laws`() async throws {
    try await DataStoreLaws.check { MemoryDataStore() }
  }

  @Test(arguments: FaultyStore.Fault.allCases)
  func `a store that breaks a law is detected`(fault: FaultyStore.Fault) async throws {
    await #expect(throws: DataStoreLaws.Violation.self) {
      try await DataStoreLaws.check { FaultyStore(fault: fault) }
    }
  }
}

/// A store that breaks one law.
struct FaultyStore: DataStore {
  enum Fault: CaseIterable {
    case foldsCase, truncatesBodies, dropsTags, dropsPlaceholders, ignoresRemoveEntry, ignoresRemoveAll,
      reportsMissingAsUpdated,
      reportsMissingAsPinned
  }

  let fault: Fault
  private let store = MemoryDataStore()

  init(fault: Fault) {
    self.fault = fault
  }

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    var entry = try await store.entry(for: stored(key))
    if fault == .truncatesBodies, let body = entry?.body { entry?.body = Data(body.dropLast()) }
    if fault == .dropsTags { entry?.metadata.tags = [] }
    if fault == .dropsPlaceholders { entry?.metadata.placeholder = nil }
    return entry
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await store.store(entry, for: stored(key))
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await store.updateMetadata(metadata, for: stored(key)) || fault == .reportsMissingAsUpdated
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool { fault == .reportsMissingAsPinned }

  func removeEntry(for key: CacheKey) async throws {
    if fault != .ignoresRemoveEntry { try await store.removeEntry(for: stored(key)) }
  }

  func removeAll() async throws {
    if fault != .ignoresRemoveAll { try await store.removeAll() }
  }

  private func stored(_ key: CacheKey) -> CacheKey {
    fault == .foldsCase ? CacheKey(key.text.lowercased()) : key
  }
}
