import Foundation
import Halcyon
import HummingbirdCore

/// A request and where it goes.
struct Exchange: Sendable {
  let request: Request
  let url: URL
  let fields: ProxyFields

  /// What its answers are stored under.
  var key: CacheKey { CacheKey(url.absoluteString) }
}

/// What the server answered to a question of the cache.
struct OriginAnswer: Sendable {
  /// The largest body that is kept, in bytes.
  static let storedByteLimit = 64 << 20

  let head: EntryMetadata
  let body: TransportBody

  func wholeBody() async throws -> Data {
    var data = Data()
    for try await piece in body {
      data.append(piece)
      guard data.count <= Self.storedByteLimit else { throw TooLarge() }
    }
    return data
  }

  struct TooLarge: Error {}
}
