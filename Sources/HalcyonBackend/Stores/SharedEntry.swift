import HalcyonCache
import Foundation
import HalcyonHTTP
import HalcyonSupport

/// An entry as one value of a store that other programs may write to.
///
/// ```
/// 64 bytes: header | key | metadata | body
/// ```
/// All numbers are little endian. A ``Checksum`` covers header, key and metadata, a wyhash the body. Whatever the bytes
/// are, decoding them returns an entry that is well-formed, or `nil`. Checksums find damage; they do not prove who has
/// written an entry.
struct SharedEntry: Equatable, Sendable {
  /// Incremented with every change of the format. It is part of the names of values: versions of the library with
  /// different formats do not find, replace or remove each other's. All formats begin with the magic number and this one.
  static let format: UInt32 = 1
  static let headerByteCount = 64
  private static let magic: UInt32 = 0x5348_4C48  // "HLHS"
  /// The limit of the metadata, as on disk.
  private static let metadataByteLimit = 64 << 10

  var entry: StoredEntry
  /// When the entry was stored.
  var storedDate: Date
  /// The generations of its namespace and its source, for stores that invalidate by them.
  var generations: Generations

  /// Random numbers that are replaced to invalidate all entries with the old ones.
  struct Generations: Equatable, Sendable {
    var namespace: UInt64
    var source: UInt64

    init(namespace: UInt64 = 0, source: UInt64 = 0) { (self.namespace, self.source) = (namespace, source) }
  }

  init(_ entry: StoredEntry, storedDate: Date, generations: Generations = Generations()) {
    (self.entry, self.storedDate, self.generations) = (entry, storedDate, generations)
  }

  /// Whether its own expiration has passed; reading does not extend it.
  func isExpired(at now: Date) -> Bool {
    switch entry.metadata.expiration {
    case nil, .never: false
    case .expired: true
    case .after, .date: entry.metadata.expiration.map { $0.end(from: storedDate) <= now } ?? false
    }
  }

  /// The value under a key; `nil` if the metadata is too large to be stored, even without the header fields that HTTP
  /// caching does not need.
  func encoded(for key: CacheKey) -> Data? {
    var metadata = entry.metadata.encoded
    if metadata.count > Self.metadataByteLimit { metadata = entry.metadata.withEssentialFields.encoded }
    guard metadata.count <= Self.metadataByteLimit else { return nil }
    let text = Array(key.text.utf8)
    var writer = ByteWriter()
    writer.append(Self.magic)
    writer.append(Self.format)
    writer.append(generations.namespace)
    writer.append(generations.source)
    writer.append(storedDate)
    writer.append(UInt32(clamping: text.count))
    writer.append(UInt32(metadata.count))
    writer.append(UInt64(entry.body.count))
    writer.append(entry.body.withUnsafeBytes { WyHash.hash($0) })
    writer.append(UInt32(0))
    let head = writer.bytes
    var data = Data(capacity: Self.headerByteCount + text.count + metadata.count + entry.body.count)
    data.append(contentsOf: head)
    withUnsafeBytes(of: Self.checksum(head, text, metadata).littleEndian) { data.append(contentsOf: $0) }
    data.append(contentsOf: text)
    data.append(contentsOf: metadata)
    data.append(entry.body)
    return data
  }

  private static func checksum(_ parts: [UInt8]...) -> UInt32 { Checksum.of(parts.flatMap(\.self)) }
}

extension SharedEntry {
  /// The entry in a value; `nil` unless it is an undamaged entry of this version under this key.
  init?(decoding data: Data, for key: CacheKey) {
    guard let head = Head(data, key: key), data.count - head.byteCount == head.bodyByteCount else { return nil }
    let body = data.suffixSharingMemory(from: head.byteCount)
    guard body.withUnsafeBytes({ WyHash.hash($0) }) == head.bodyHash else { return nil }
    self.init(
      StoredEntry(body: body, metadata: head.metadata), storedDate: head.storedDate, generations: head.generations)
  }

  /// The metadata at the start of a value, whose body is not checked, as an entry with an empty body; `nil` if it is
  /// damaged or incomplete.
  init?(decodingHeadOf data: Data, for key: CacheKey) {
    guard let head = Head(data, key: key) else { return nil }
    self.init(
      StoredEntry(body: Data(), metadata: head.metadata), storedDate: head.storedDate, generations: head.generations)
  }

  /// The reason why a value could not be decoded.
  static func miss(of data: Data) -> CacheMiss {
    var reader = ByteReader(data.prefix(8))
    guard reader.number() == magic, let found = reader.number(UInt32.self), found != format else { return .damaged }
    return .otherFormat
  }

  /// The length of a value according to its first ``headerByteCount`` bytes; `nil` unless they begin an entry of this format
  /// with a key of this length. The checksum covers more than these bytes.
  static func byteCount(beginning head: Data, for key: CacheKey) -> Int? {
    var reader = ByteReader(head.prefix(headerByteCount))
    guard head.count >= headerByteCount, reader.number() == magic, reader.number() == format,
      reader.number(UInt64.self) != nil, reader.number(UInt64.self) != nil, reader.date() != nil,
      let keyByteCount = reader.number(UInt32.self), keyByteCount == key.text.utf8.count,
      let metadataByteCount = reader.number(UInt32.self), metadataByteCount <= metadataByteLimit,
      let bodyByteCount = reader.number(UInt64.self), bodyByteCount < Int.max >> 4
    else { return nil }
    return headerByteCount + Int(keyByteCount) + Int(metadataByteCount) + Int(bodyByteCount)
  }

  /// The most bytes before the body of the entry under a key.
  static func headByteLimit(for key: CacheKey) -> Int {
    headerByteCount + key.text.utf8.count + metadataByteLimit
  }

  /// The part of a value before the body.
  private struct Head {
    let generations: Generations
    let storedDate: Date
    let metadata: EntryMetadata
    let bodyByteCount: Int
    let bodyHash: UInt64
    let byteCount: Int

    init?(_ data: Data, key: CacheKey) {
      var reader = ByteReader(data.prefix(headerByteCount))
      guard data.count >= headerByteCount, reader.number() == magic, reader.number() == format,
        let namespace = reader.number(UInt64.self), let source = reader.number(UInt64.self),
        let date = reader.date(), date.isStorable, reader.number(UInt32.self) == UInt32(exactly: key.text.utf8.count),
        let metadataByteCount = reader.number(UInt32.self), metadataByteCount <= metadataByteLimit,
        let bodyByteCount = reader.number(UInt64.self), let hash = reader.number(UInt64.self),
        reader.number() == UInt32(0), let checksum = reader.number(UInt32.self)
      else { return nil }
      let text = key.text.utf8
      let byteCount = headerByteCount + text.count + Int(metadataByteCount)
      guard data.count >= byteCount else { return nil }
      // The fields of the header before its checksum, and all that comes after it.
      var covered = Array(data.prefix(headerByteCount - 4))
      covered += data.dropFirst(headerByteCount).prefix(byteCount - headerByteCount)
      guard covered.dropFirst(headerByteCount - 4).starts(with: text), checksum == Checksum.of(covered),
        let metadata = EntryMetadata(
          decoding: data.dropFirst(byteCount - Int(metadataByteCount)).prefix(Int(metadataByteCount))),
        metadata.isWellFormed
      else { return nil }
      (generations, storedDate) = (Generations(namespace: namespace, source: source), date)
      (self.metadata, bodyHash) = (metadata, hash)
      self.bodyByteCount = Int(clamping: bodyByteCount)
      self.byteCount = byteCount
    }
  }
}

extension Data {
  /// The bytes from an offset on. Large ones are not copied; they keep the memory of all.
  fileprivate func suffixSharingMemory(from offset: Int) -> Data {
    guard count - offset >= 16 << 10 else { return Data(dropFirst(offset)) }
    let all = self
    return all.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return Data() }
      // Memory of this size is on the heap, and not changed while `all` holds it.
      return Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: start + offset), count: bytes.count - offset,
        deallocator: .custom { _, _ in withExtendedLifetime(all) {} })
    }
  }
}

extension EntryMetadata {
  /// Whether the values are possible in a response: other programs may have written them, and they are sent on to
  /// servers and clients.
  fileprivate var isWellFormed: Bool {
    let fields = headers.fields + variants.flatMap(\.fields) + (variant?.fields ?? [])
    return (100...999).contains(status) && requestDate.isStorable && responseDate.isStorable
      && fields.allSatisfy { $0.hasNoControlCharacters } && expiration.map(\.isStorable) ?? true
      && redirects.allSatisfy(\.isWellFormed) && original?.received.isStorable ?? true
  }
}

extension EntryMetadata.Redirect {
  fileprivate var isWellFormed: Bool {
    (300...399).contains(status) && requestDate.isStorable && responseDate.isStorable
      && headers.fields.allSatisfy { $0.hasNoControlCharacters }
  }
}

extension HTTPHeaders.Field {
  fileprivate var hasNoControlCharacters: Bool {
    let isControl: (UInt8) -> Bool = { byte in (byte < 32 && byte != 9) || byte == 127 }
    return !name.utf8.contains(where: isControl) && !value.utf8.contains(where: isControl)
  }
}

extension CacheExpiration {
  fileprivate var isStorable: Bool {
    switch self {
    case .never, .expired, .after: true
    case .date(let date): date.isStorable
    }
  }
}

extension Date {
  /// Whether the date is a number, and within thousands of years.
  fileprivate var isStorable: Bool { abs(timeIntervalSince1970) < 1e12 }
}
