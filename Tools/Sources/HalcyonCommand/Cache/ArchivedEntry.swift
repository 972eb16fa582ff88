import Foundation
import Halcyon
import HalcyonCache

/// The metadata of an entry in an archive, as JSON.
struct ArchivedEntry: Codable {
  /// The version of this format.
  static let version = 1

  var version = ArchivedEntry.version
  var key: String
  var url: String?
  var status: Int
  /// Names and values, in their order.
  var headers: [[String]]
  /// Dates are seconds since 1970.
  var requestDate: Double
  var responseDate: Double
  var storedDate: Double
  var expiration: Expiration?
  var tags: [String]
  var variant: [[String]]?
  var variants: [[[String]]]
  /// The bytes of the ThumbHash, and custom bytes, as Base64.
  var placeholder: Data?
  var userInfo: Data?
  var isPinned: Bool
  var bodyBytes: Int
  /// The CRC-32 of the body, as gzip and PNG have it.
  var crc32: UInt32

  /// The expiration of an entry that has its own: one of these.
  struct Expiration: Codable {
    var never: Bool?
    var expired: Bool?
    /// Seconds after the last use.
    var after: Double?
    /// Seconds since 1970.
    var date: Double?
  }

  init(_ entry: DiskCacheEntry, body: Data) {
    let metadata = entry.metadata
    key = entry.key.text
    url = metadata.url?.absoluteString
    status = metadata.status
    headers = metadata.headers.fields.map { [$0.name, $0.value] }
    requestDate = metadata.requestDate.timeIntervalSince1970
    responseDate = metadata.responseDate.timeIntervalSince1970
    storedDate = entry.storedDate.timeIntervalSince1970
    expiration = metadata.expiration.map(Expiration.init)
    tags = metadata.tags
    variant = metadata.variant.map(Self.fields)
    variants = metadata.variants.map(Self.fields)
    placeholder = metadata.placeholder.map { Data($0.bytes) }
    userInfo = metadata.userInfo
    isPinned = entry.isPinned
    bodyBytes = body.count
    crc32 = CRC32.of(body)
  }

  /// The metadata for a cache.
  var metadata: EntryMetadata {
    EntryMetadata(
      url: url.flatMap { URL(string: $0) }, status: status, headers: Self.headers(headers),
      requestDate: Date(timeIntervalSince1970: requestDate), responseDate: Date(timeIntervalSince1970: responseDate),
      expiration: expiration?.value, tags: tags, variant: variant.map { VaryKey(fields: Self.headers($0).fields) },
      variants: variants.map { VaryKey(fields: Self.headers($0).fields) },
      placeholder: placeholder.flatMap { ThumbHash(bytes: [UInt8]($0)) }, userInfo: userInfo)
  }

  private static func fields(_ key: VaryKey) -> [[String]] { key.fields.map { [$0.name, $0.value] } }

  private static func headers(_ pairs: [[String]]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for pair in pairs where pair.count == 2 { headers.add(name: pair[0], value: pair[1]) }
    return headers
  }
}

extension ArchivedEntry.Expiration {
  fileprivate init(_ expiration: CacheExpiration) {
    switch expiration {
    case .never: never = true
    case .expired: expired = true
    case .after(let duration): after = duration / .seconds(1)
    case .date(let end): date = end.timeIntervalSince1970
    }
  }

  fileprivate var value: CacheExpiration? {
    if never == true { return .never }
    if expired == true { return .expired }
    if let after, after >= 0, after < 1e12 { return .after(.seconds(after)) }
    return date.map { .date(Date(timeIntervalSince1970: $0)) }
  }
}

/// The checksum of gzip and PNG.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  static func of(_ data: Data) -> UInt32 {
    data.withUnsafeBytes { bytes in
      ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
    }
  }
}
