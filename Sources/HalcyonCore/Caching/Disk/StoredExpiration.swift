import Foundation

/// An expiration as the index keeps it.
struct StoredExpiration {
  var lifetime: Double?
  var date: Double?

  init(_ expiration: CacheExpiration, at now: Date) {
    switch expiration {
    case .never: break
    case .expired: date = now.timeIntervalSince1970
    case .after(let duration):
      lifetime = duration.inSeconds
      date = now.timeIntervalSince1970 + duration.inSeconds
    case .date(let end): date = end.timeIntervalSince1970
    }
  }
}

extension Double? {
  var value: SQLiteConnection.Value { map { .real($0) } ?? .null }
}

extension String? {
  var value: SQLiteConnection.Value { map { .text($0) } ?? .null }
}
