public import HalcyonSupport
public import Foundation

/// An entry of a disk cache, without its image.
public struct DiskCacheEntry: Sendable {
  /// The key of the entry.
  public let key: CacheKey
  /// The URL before redirects, or the custom key, of the request that it belongs to; `nil` if its key is of another kind.
  public var source: String? { key.source?.text }
  /// Its URL, response headers, dates and tags.
  public let metadata: EntryMetadata
  /// The disk space that it takes, in bytes.
  public let diskByteCount: Int
  /// The size of the encoded image in bytes.
  public let bodyByteCount: Int
  /// Whether it is exempt from eviction.
  public let isPinned: Bool
  /// When its image was stored. Neither reading nor revalidation changes it.
  public let storedDate: Date
  /// When it was last read, changed or revalidated, by any process; before the first read, when it was stored.
  public let lastUseDate: Date
  /// How often it was read since it was stored, by all processes. Hits of its image in memory count about once a minute.
  ///
  /// Recorded with the order of eviction, a few seconds after a read at the latest; a process that is killed loses the
  /// reads of these seconds.
  public let hitCount: Int
  /// When it expires; `nil` for never.
  ///
  /// The date of an entry that expires some time after its last use moves with each read. An entry without an expiration
  /// of its own has the one of ``DiskCacheConfiguration/expiration`` at the time of the listing.
  public let expirationDate: Date?
  /// Whether it had expired when it was listed. It is never served, and removed by the next cleaning.
  public let isExpired: Bool

  let id: Int64

  /// `nil` when the file was removed, replaced or damaged, or cannot be read.
  fileprivate init?(_ file: DiskWriter.IndexedFile, of cache: DiskCache) throws(DiskCacheError) {
    let description = try ignoring(
      { $0.isMissing || $0.isUnreadable }, try EntryFile.describe(path: file.path, in: cache.fileSystem))
    guard let description, description.header.id == file.id else { return nil }
    key = description.key
    metadata = description.metadata
    diskByteCount = description.diskByteCount
    bodyByteCount = Int(description.header.bodyByteCount)
    isPinned = description.slot.isPinned
    storedDate = description.stored
    lastUseDate = cache.lastUse(of: description)
    hitCount = Int(description.slot.readCount)
    expirationDate = cache.expirationDate(of: metadata, stored: storedDate, lastUse: lastUseDate)
    isExpired = expirationDate.map { $0 <= cache.time.now() } ?? false
    id = file.id
  }
}

extension DiskCache {
  /// The entries of a disk cache, read in pages during the iteration; see ``DiskCache/entries``.
  public struct Entries: AsyncSequence, Sendable {
    fileprivate let cache: DiskCache

    init(cache: DiskCache) { self.cache = cache }

    /// Begins an iteration; nothing is read before its first entry is requested.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(cache: cache) }

    /// Reads the entries of one iteration in pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let cache: DiskCache
      private var page: [DiskCacheEntry] = []
      private var lastID: Int64 = 0

      fileprivate init(cache: DiskCache) { self.cache = cache }

      /// The next entry; `nil` after the last.
      ///
      /// - Throws: ``DiskCacheError`` when the file system fails; `CancellationError` when the task is cancelled.
      public mutating func next() async throws -> DiskCacheEntry? {
        while page.isEmpty {
          let (entries, lastID) = try await cache.page(after: lastID)
          guard let lastID else { return nil }
          self.lastID = lastID
          page = entries.reversed()
        }
        return page.popLast()
      }
    }
  }
}

extension DiskCache {
  /// The entries after an id, in the order of their ids; `lastID` is `nil` at the end.
  fileprivate func page(after id: Int64) async throws -> (entries: [DiskCacheEntry], lastID: Int64?) {
    let files = try await withWriter { writer in try await writer.page(after: id) }
    let entries = try await readers.run { [self] _ in
      try files.compactMap { file in try DiskCacheEntry(file, of: self) }
    }
    return (entries, files.last?.id)
  }
}
