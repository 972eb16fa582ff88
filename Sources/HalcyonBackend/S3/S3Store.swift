public import HalcyonCache
import Foundation
public import HalcyonHTTP
public import HalcyonSupport

/// A store in a bucket of S3-compatible storage: images made once, kept for good, and shared by all machines.
///
/// ```swift
/// if let storage = S3Storage(region: "eu-central-1", endpoint: endpoint, credentials: credentials) {
///   let store = S3Store(storage: storage, bucket: "thumbnails", transport: transport)
/// }
/// ```
///
/// Each entry is one object under the digests of its source and its key, and the format of this version: versions of the
/// library with other formats have objects of their own, and only a removal of a source or of everything removes all.
///
/// The bucket has no limit of its own: entries are removed by ``removeEntries(ofSource:)``, ``removeAll()``, or a
/// lifecycle rule of the bucket. An entry with an expiration is not served after it; reading does not extend it. A damaged
/// or foreign object is a miss.
///
/// Credentials need the permissions to get, put, delete and list: without the last one the storage reports missing
/// objects as forbidden. The requests of one call follow each other, retries included, within a few timeouts; in front
/// of a load, give the store a budget in a ``TieredStore``.
///
/// Safe from any thread.
public final class S3Store: SourcePurgingStore, MissReportingStore {
  private static let replacementAttempts = 5
  private static let parallelRemovals = 16

  /// The storage.
  public let storage: S3Storage
  /// The name of the bucket.
  public let bucket: String
  /// The settings.
  public let configuration: S3StoreConfiguration
  private let client: S3Client
  private let time: any TimeSource

  /// Creates a store; nothing is requested yet.
  ///
  /// - Parameters:
  ///   - storage: The address and credentials of the storage.
  ///   - bucket: The name of an existing bucket.
  ///   - transport: Sends the requests; it has to support signatures if the storage has credentials.
  ///   - configuration: The settings.
  ///   - time: The clock of expirations and retries.
  public init(
    storage: S3Storage, bucket: String, transport: any Transport,
    configuration: S3StoreConfiguration = S3StoreConfiguration(), time: any TimeSource = SystemTime()
  ) {
    precondition(
      storage.url(bucket: bucket, key: configuration.prefix + "x") != nil && S3Names.isValid(configuration.prefix),
      "“\(bucket)” and “\(configuration.prefix)” are not valid as bucket and prefix")
    self.storage = storage
    self.bucket = bucket
    self.configuration = configuration
    self.time = time
    client = S3Client(storage: storage, bucket: bucket, configuration: configuration, transport: transport, time: time)
  }

  /// The entry stored under a key, or `nil`.
  ///
  /// - Throws: ``S3StoreError``, or the errors of the transport.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry stored under a key, or the reason of the miss.
  ///
  /// - Throws: ``S3StoreError``, or the errors of the transport.
  package func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    guard canStore(key) else { return .miss(.absent) }
    let object: S3Client.Object
    switch try await client.object(name(of: key), for: key) {
    case .hit(let found): object = found
    case .miss(let miss): return .miss(miss)
    }
    // The bytes count as being read until here.
    defer { withExtendedLifetime(object) {} }
    guard let shared = SharedEntry(decoding: object.data, for: key) else {
      return .miss(SharedEntry.miss(of: object.data))
    }
    return shared.isExpired(at: time.now()) ? .miss(.expired) : .hit(shared.entry)
  }

  /// Whether there is an entry for the key; reads its metadata.
  public func containsEntry(for key: CacheKey) async throws -> Bool { try await metadata(for: key) != nil }

  /// The metadata of an entry, or `nil`; the image is not read.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    guard canStore(key) else { return nil }
    let head = try await client.prefix(name(of: key), byteCount: SharedEntry.headByteLimit(for: key))
    guard let head, let shared = SharedEntry(decodingHeadOf: head, for: key), !shared.isExpired(at: time.now())
    else { return nil }
    return shared.entry.metadata
  }

  /// Stores an entry, unless it is over ``S3StoreConfiguration/entryByteLimit`` or an original that is not to be stored:
  /// then an older one is removed.
  ///
  /// - Throws: ``S3StoreError``, or the errors of the transport.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    _ = try await storeIfPossible(entry, for: key)
  }

  /// Stores an entry, and returns whether it was stored.
  func storeIfPossible(_ entry: StoredEntry, for key: CacheKey) async throws -> Bool {
    guard canStore(key) else { return false }
    let shared = SharedEntry(entry, storedDate: time.now())
    guard entry.body.count <= configuration.entryByteLimit, !shared.isExpired(at: shared.storedDate) else {
      try await removeEntry(for: key)
      return false
    }
    guard let data = shared.encoded(for: key) else { throw S3StoreError.metadataTooLarge }
    guard data.count <= configuration.entryByteLimit else {
      try await removeEntry(for: key)
      return false
    }
    return try await client.put(data, name(of: key), version: nil)
  }

  /// Replaces the metadata of an entry, unless another process replaces the entry meanwhile, or it becomes too large: then
  /// it is removed. The whole object is read and written.
  ///
  /// - Throws: ``S3StoreError``, or the errors of the transport.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    guard canStore(key) else { return false }
    for _ in 1...Self.replacementAttempts {
      guard let object = try await client.object(name(of: key), for: key).value,
        var shared = SharedEntry(decoding: object.data, for: key), !shared.isExpired(at: time.now())
      else { return false }
      shared.entry.metadata = metadata
      guard let data = shared.encoded(for: key) else { throw S3StoreError.metadataTooLarge }
      guard data.count <= configuration.entryByteLimit else {
        try await removeEntry(for: key)
        return false
      }
      if try await client.put(data, name(of: key), version: object.version) { return true }
    }
    throw S3StoreError.conflict
  }

  /// Removes one entry.
  ///
  /// - Throws: ``S3StoreError``, or the errors of the transport.
  public func removeEntry(for key: CacheKey) async throws {
    if canStore(key) { try await client.remove(name(of: key)) }
  }

  /// Removes all entries. Sends one request per entry, plus one per 1,000 keys.
  ///
  /// - Throws: ``S3StoreError``, or the errors of the transport; some entries may be left then.
  public func removeAll() async throws { _ = try await removeObjects(configuration.prefix) }

  /// Removes all entries of a source. Sends one request per entry, plus one per 1,000 keys.
  ///
  /// - Returns: The number of entries removed.
  /// - Throws: ``S3StoreError``, or the errors of the transport; some entries may be left then.
  @discardableResult
  public func removeEntries(ofSource source: String) async throws -> Int {
    try await removeObjects(S3Names.folder(ofSource: source, prefix: configuration.prefix))
  }

  private func name(of key: CacheKey) -> String { S3Names.name(of: key, prefix: configuration.prefix) }

  /// Requests the bucket itself, without an object.
  ///
  /// - Throws: ``S3StoreError/refused(status:code:)``, whose description says whether the bucket, the credentials, the region
  ///   or the clock is wrong; or the errors of the transport.
  public func checkBucket() async throws { try await client.checkBucket() }

  /// Removes the objects of the store whose names begin with `begin`, of all formats.
  private func removeObjects(_ begin: String) async throws -> Int {
    var (count, last): (Int, S3List?) = (0, nil)
    var pages = S3Pages()
    repeat {
      let list = try await client.list(begin, after: last)
      guard pages.next(list) else { throw S3StoreError.malformedList }
      let names = list.names.filter { name in
        S3Names.isName(name, prefix: configuration.prefix) && name.utf8.starts(with: begin.utf8)
      }
      try await withThrowingTaskGroup(of: Void.self) { [client] group in
        for (index, name) in names.enumerated() {
          if index >= Self.parallelRemovals { try await group.next() }
          group.addTask { try await client.remove(name) }
        }
        try await group.waitForAll()
      }
      count += names.count
      last = list
    } while last?.nextToken != nil
    return count
  }
}

extension S3Store: SelectiveStore {
  /// Whether entries under a key are stored: images, and originals if they are wanted, but no parts of them.
  func canStore(_ key: CacheKey) -> Bool {
    configuration.storesOriginals ? !key.isOfPartialBody : !key.isOfOriginal
  }
}

/// Counts the parts of a list, which ends: each part must have later keys than the part before it.
struct S3Pages {
  /// 10,000 parts are ten million keys.
  private static let pageLimit = 10_000
  /// Some storage sends parts without a new key.
  private static let emptyPageLimit = 100

  private var last: String?
  private var pageCount = 0
  private var emptyPageCount = 0

  /// Whether the list may go on with this part.
  mutating func next(_ list: S3List) -> Bool {
    pageCount += 1
    if let key = list.names.last, last.map({ $0.utf8.lexicographicallyPrecedes(key.utf8) }) ?? true {
      (last, emptyPageCount) = (key, 0)
    } else {
      emptyPageCount += 1
    }
    return pageCount <= Self.pageLimit && emptyPageCount <= Self.emptyPageLimit
  }
}

/// The names of a store's objects.
enum S3Names {
  static func isValid(_ prefix: String) -> Bool {
    prefix.utf8.count <= 512 && prefix.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./".utf8.contains($0) }
  }

  /// The name of the object of an entry, whose value is of this version's format.
  static func name(of key: CacheKey, prefix: String) -> String {
    "\(folder(ofSource: key.source?.text ?? key.text, prefix: prefix))\(key.digest.hexadecimal).\(SharedEntry.format)"
  }

  static func folder(ofSource source: String, prefix: String) -> String {
    prefix + KeyDigest(source).hexadecimal + "/"
  }

  /// Whether a name has the form of this store's, of any format.
  static func isName(_ name: String, prefix: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    let parts = name.utf8.dropFirst(prefix.utf8.count).split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let format = parts[1].dropFirst(33)
    return isDigest(parts[0]) && isDigest(parts[1].prefix(32)) && parts[1].dropFirst(32).first == UInt8(ascii: ".")
      && !format.isEmpty && format.allSatisfy { (48...57).contains($0) }
  }

  private static func isDigest(_ bytes: Substring.UTF8View) -> Bool {
    bytes.count == 32 && bytes.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
