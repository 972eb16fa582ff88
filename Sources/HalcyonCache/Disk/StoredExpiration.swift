import HalcyonSupport
import Foundation

/// An expiration as the index keeps it.
struct StoredExpiration {
  /// Whether the entry has none of its own, and takes that of the configuration, as it is when somebody looks.
  var isDefault = false
  var lifetime: Double?
  /// When it is over, in seconds since 1970; or when the life of an entry with the default began.
  var date: Double?

  init(_ expiration: CacheExpiration?, at now: Date) {
    switch expiration {
    case nil: (isDefault, date) = (true, now.timeIntervalSince1970)
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
