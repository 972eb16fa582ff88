public import HalcyonSupport

extension DiskCache {
  /// Bytes of disk space that the entries take.
  public var totalSize: Int {
    get async throws { try await changing { writer in try await writer.totalSize() } }
  }

  /// How many entries there are.
  public var count: Int {
    get async throws { try await changing { writer in try await writer.count() } }
  }

  /// All entries with what is known about them, in no certain order; images are not read.
  ///
  /// Entries that come or go meanwhile may or may not be among them.
  public var entries: DiskCacheEntries { DiskCacheEntries(cache: self) }

  /// Keeps an entry from being evicted, or lets it go again. A pinned entry is counted, and expires, like any other.
  ///
  /// - Returns: Whether the key has an entry.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await changing { writer in try await writer.setPinned(isPinned, for: key) }
  }

  func entries(after id: Int64) async throws -> (entries: [DiskCacheEntry], lastID: Int64?) {
    let rows = try await changing { writer in try await writer.page(after: id) }
    let fileSystem = fileSystem
    let entries = try await readers.run { _ in
      try rows.compactMap { row in try DiskCacheEntry(row, in: fileSystem) }
    }
    return (entries, rows.last?.id)
  }
}

/// What is known about one entry of a disk cache.
public struct DiskCacheEntry: Sendable {
  /// What it is stored under.
  public let key: CacheKey
  /// Where it came from and when.
  public let metadata: EntryMetadata
  /// Bytes of disk space that it takes.
  public let diskByteCount: Int
  /// Bytes of the encoded image.
  public let bodyByteCount: Int
  /// Whether it is kept when others are evicted.
  public let isPinned: Bool

  let id: Int64

  /// `nil` when the file is gone or damaged by now.
  init?(_ row: DiskWriter.Row, in fileSystem: any FileSystem) throws(DiskCacheError) {
    let file: EntryFile.Description?
    do throws(DiskCacheError) {
      file = try EntryFile.describe(path: row.path, in: fileSystem)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    guard let file, file.header.id == row.id else { return nil }
    key = file.key
    metadata = file.metadata
    diskByteCount = file.diskByteCount
    bodyByteCount = Int(file.header.bodyByteCount)
    isPinned = file.slot.isPinned
    id = row.id
  }
}

/// The entries of a disk cache, read as they are asked for.
public struct DiskCacheEntries: AsyncSequence {
  let cache: DiskCache

  /// Starts at the first entry.
  public func makeAsyncIterator() -> Iterator { Iterator(cache: cache) }

  /// Reads entries a few at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let cache: DiskCache
    private var waiting: [DiskCacheEntry] = []
    private var lastID: Int64 = 0

    init(cache: DiskCache) { self.cache = cache }

    /// The next entry; `nil` after the last.
    ///
    /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> DiskCacheEntry? {
      while waiting.isEmpty {
        let page = try await cache.entries(after: lastID)
        guard let last = page.lastID else { return nil }
        lastID = last
        waiting = page.entries.reversed()
      }
      return waiting.popLast()
    }
  }
}
