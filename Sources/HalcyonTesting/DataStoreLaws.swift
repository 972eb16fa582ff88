import HalcyonSupport
import HalcyonImaging
import HalcyonHTTP
public import HalcyonCache
import Foundation

/// Conformance checks for `DataStore`, for any test framework.
///
/// ```swift
/// try await DataStoreLaws.check { MemoryDataStore() }  // a new, empty store each time
/// ```
public enum DataStoreLaws {
  /// A law that a store breaks.
  public struct Violation: Error, CustomStringConvertible {
    /// What was expected and what was found.
    public let description: String
  }

  /// Checks all laws.
  ///
  /// - Parameter makeStore: Returns an empty store with space for at least 4 MiB in 200 entries. Called once for each
  ///   law.
  /// - Throws: ``Violation`` for the first law that is broken; any error of the store.
  public static func check(_ makeStore: () async throws -> any DataStore) async throws {
    let laws = [
      returnsStoredEntries, distinguishesKeys, replaces, updatesMetadata, pinsOnlyExistingEntries, removes,
      allowsConcurrentAccess,
    ]
    for law in laws { try await law(makeStore()) }
  }

  /// Key texts that a store may confuse with each other, or with file names.
  static let keyTexts = [
    "", " ", "\0", "a\0", "a", "A", "a/b", "../a", ".", "%00", "@#?&=", "é", "e\u{301}", "🙂",
    String(repeating: "long", count: 2048), String(repeating: "long", count: 2048) + "er",
  ]

  private static func returnsStoredEntries(_ store: any DataStore) async throws {
    try await expect(store, "creating a store", "a", nil)
    for count in [0, 1, 4095, 4096, 100_000] {
      let entry = entry(byteCount: count)
      let key = CacheKey("entry of \(count) bytes")
      try await store.store(entry, for: key)
      try await expect(store, "storing an entry", key, entry)
      try await expect(store, "a second read", key, entry)
    }
    for metadata in metadataCases {
      let entry = StoredEntry(body: Data("body".utf8), metadata: metadata)
      try await store.store(entry, for: "metadata")
      try await expect(store, "storing metadata", "metadata", entry)
    }
  }

  private static func distinguishesKeys(_ store: any DataStore) async throws {
    let texts = keyTexts
    for (number, text) in texts.enumerated() { try await store.store(entry(seed: number), for: CacheKey(text)) }
    for (number, text) in texts.enumerated() {
      // Canonically equivalent texts are equal strings in Swift but different keys; a store may treat them as either.
      if texts.firstIndex(of: text) != texts.lastIndex(of: text) { continue }
      try await expect(store, "storing under similar keys, number \(number)", CacheKey(text), entry(seed: number))
    }
  }

  private static func replaces(_ store: any DataStore) async throws {
    for round in 1...20 {
      let entry = entry(seed: round, byteCount: 100_000 / round)
      try await store.store(entry, for: "a")
      try await expect(store, "storing \(round) entries under one key", "a", entry)
    }
  }

  private static func updatesMetadata(_ store: any DataStore) async throws {
    let metadata = metadataCases[0]
    let isUpdated = try await store.updateMetadata(metadata, for: "a")
    try require(!isUpdated, "Updating the metadata of a missing entry returns true.")
    try await expect(store, "an update of a missing entry", "a", nil)
    var entry = entry()
    try await store.store(entry, for: "a")
    for metadata in metadataCases + [metadata] {
      let isUpdated = try await store.updateMetadata(metadata, for: "a")
      try require(isUpdated, "Updating the metadata of an entry returns false.")
      entry.metadata = metadata
      try await expect(store, "an update of metadata", "a", entry)
    }
  }

  private static func pinsOnlyExistingEntries(_ store: any DataStore) async throws {
    try await store.store(entry(), for: "b")
    for isPinned in [true, false] {
      let isFound = try await store.setPinned(isPinned, for: "a")
      try require(!isFound, "Pinning or unpinning a missing entry returns true.")
      try await expect(store, "pinning a missing entry", "a", nil)
      try await expect(store, "pinning another entry, which is missing", "b", entry())
    }
  }

  private static func removes(_ store: any DataStore) async throws {
    for key in ["a", "b", "c"] as [CacheKey] { try await store.store(entry(), for: key) }
    try await store.removeEntry(for: "a")
    try await store.removeEntry(for: "missing")
    try await expect(store, "the removal of an entry", "a", nil)
    try await expect(store, "the removal of another entry", "b", entry())
    try await store.store(entry(seed: 2), for: "a")
    try await expect(store, "storing a removed entry again", "a", entry(seed: 2))
    try await store.removeAll()
    for key in ["a", "b", "c"] as [CacheKey] { try await expect(store, "the removal of all entries", key, nil) }
  }

  private static func allowsConcurrentAccess(_ store: any DataStore) async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          let key = CacheKey("\(number % 100)")
          try await store.store(entry(seed: number % 100, byteCount: 500), for: key)
          try await expect(store, "concurrent stores", key, entry(seed: number % 100, byteCount: 500))
        }
      }
      try await group.waitForAll()
    }
  }

  private static var metadataCases: [EntryMetadata] {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    var many = HTTPHeaders()
    let plain = EntryMetadata(requestDate: date, responseDate: date)
    for number in 0..<40 { many.add(name: "X-Field-\(number)", value: String(repeating: "v", count: number)) }
    var (varied, redirected) = (plain, plain)
    (varied.variant, varied.variants) = (variants.first, variants.reversed())
    redirected.redirects = redirects
    return [
      plain, varied, redirected,
      EntryMetadata(
        url: URL(string: "https://example.com/ä?b=%20"), status: 404, headers: ["ETag": "\"ä\""],
        requestDate: date - 10, responseDate: date, expiration: .never, tags: ["a", "ä b", ""]),
      EntryMetadata(headers: many, requestDate: date, responseDate: date, tags: (0..<20).map { "tag \($0)" }),
      EntryMetadata(requestDate: date, responseDate: date, userInfo: Data((0..<5000).map { UInt8($0 & 255) })),
      EntryMetadata(
        requestDate: date, responseDate: date, placeholder: ThumbHash(bytes: placeholder), userInfo: Data()),
    ]
  }

  /// A ThumbHash of 21 bytes, the length that its first bytes require.
  private static let placeholder: [UInt8] = [
    0xDC, 0xE7, 0x0E, 0x25, 0x82, 0x97, 0x7C, 0x7D, 0x78, 0x67, 0x87, 0x95, 0x87, 0x48, 0x87, 0x87, 0x67, 0x87, 0x78,
    0x87,
    0x67,
  ]

  private static var variants: [VaryKey] {
    ["", "a", "ä b"].compactMap { VaryKey(of: ["Vary": "Accept, X-\($0)"], requestHeaders: ["Accept": $0]) }
  }

  private static var redirects: [EntryMetadata.Redirect] {
    [301, 302].map { status in
      EntryMetadata.Redirect(
        status: status, headers: ["Location": "/ä"], requestDate: Date(timeIntervalSince1970: 1_700_000_000),
        responseDate: Date(timeIntervalSince1970: 1_700_000_001))
    }
  }

  private static func entry(seed: Int = 1, byteCount: Int = 1000) -> StoredEntry {
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    return StoredEntry(
      body: Data((0..<byteCount).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ seed) }),
      metadata: EntryMetadata(requestDate: date, responseDate: date, expiration: .never))
  }

  private static func expect(
    _ store: any DataStore, _ situation: String, _ key: CacheKey, _ expected: StoredEntry?
  ) async throws {
    let name = "“\(key.text.prefix(40))”"
    let isContained = try await store.containsEntry(for: key)
    try require(isContained == (expected != nil), "After \(situation): containsEntry(for: \(name)) is \(isContained).")
    let metadata = try await store.metadata(for: key)
    try require(
      metadata == expected?.metadata, "After \(situation): metadata(for: \(name)) differs from the expected metadata.")
    let result = try await store.lookUp(key)
    try require(result.value == expected, "After \(situation): lookUp(\(name)) differs from the expected entry.")
    let found = try await store.entry(for: key)
    try require(
      found == expected,
      "After \(situation): expected \(describe(expected)) under \(name), found \(describe(found)).")
  }

  private static func require(_ isKept: Bool, _ description: @autoclosure () -> String) throws {
    if !isKept { throw Violation(description: description()) }
  }

  private static func describe(_ entry: StoredEntry?) -> String {
    entry.map { "\($0.body.count) bytes with \($0.metadata)" } ?? "no entry"
  }
}
