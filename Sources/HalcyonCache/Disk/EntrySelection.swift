import Foundation
import HalcyonSupport

/// An SQL condition that selects entries of the index.
struct EntrySelection {
  let condition: String
  let values: [SQLiteConnection.Value]

  static let all = EntrySelection(condition: "1", values: [])

  /// The entry with this file number, unless it was replaced.
  static func unchanged(_ id: Int64) -> EntrySelection {
    EntrySelection(condition: "id=?", values: [.integer(id)])
  }

  static func lastUsed(upTo sequence: Int64) -> EntrySelection {
    EntrySelection(condition: "sequence<=?", values: [.integer(sequence)])
  }

  static func source(_ text: String, except key: CacheKey? = nil) -> EntrySelection {
    EntrySelection(
      condition: "source=? AND digest<>?",
      values: [.blob(IndexedAttributes.source(text)), .blob(key?.digest.bytes ?? [])])
  }

  static func tag(_ tag: String) -> EntrySelection {
    EntrySelection(condition: "id IN (SELECT entry FROM tag WHERE tag=?)", values: [.blob(Array(tag.utf8))])
  }

  /// Entries whose own expiration has passed.
  static func expired(at date: Date) -> EntrySelection {
    EntrySelection(condition: "defaulted=0 AND expires<=?", values: [.real(date.timeIntervalSince1970)])
  }

  /// Entries without their own expiration that are expired by the configured default; `nil` when none can be.
  static func expired(byDefault expiration: CacheExpiration, at date: Date) -> EntrySelection? {
    switch expiration {
    case .never: return nil
    case .date(let end) where date < end: return nil
    case .date, .expired: return EntrySelection(condition: "defaulted=1 AND expires IS NOT NULL", values: [])
    case .after(let lifetime, since: _):
      let start = date.timeIntervalSince1970 - lifetime.inSeconds
      return EntrySelection(condition: "defaulted=1 AND expires<=?", values: [.real(start)])
    }
  }
}
