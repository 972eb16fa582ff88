import Foundation
import HalcyonCache
import HalcyonHTTP

/// When sample entries were received, the time at which a `TestClock` starts.
let receivedDate = Date(timeIntervalSince1970: 1_700_000_000)

/// An entry of a number of bytes.
func entry(_ byteCount: Int = 100, _ headers: HTTPHeaders = [:], expiration: CacheExpiration? = nil) -> StoredEntry {
  StoredEntry(
    body: Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }),
    metadata: EntryMetadata(
      headers: headers, requestDate: receivedDate, responseDate: receivedDate, expiration: expiration))
}

/// The key of a source at a size.
func key(_ number: Int, source: String = "https://a.example/1.jpg") -> CacheKey {
  CacheKey("|url=\(source.utf8.count):\(source)|size=\("\(number)".utf8.count):\(number)")
}
