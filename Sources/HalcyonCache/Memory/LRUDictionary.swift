import HalcyonHTTP
import HalcyonSupport
import Foundation

/// Entries in the order of their use, limited in bytes.
struct LRUDictionary: Sendable {
  private struct Slot: Sendable {
    let key: CacheKey
    var entry: StoredEntry
    var byteCount: Int
    let lifetime: Lifetime
    var deadline: Deadline
  }

  /// What is being done with entries in the store behind.
  var work = PendingWrites()
  private(set) var byteLimit: Int
  private(set) var byteCount = 0
  private var places: [CacheKey: Int] = [:]
  private var slots: [Slot?] = []
  private var order = LinkedLists(listCount: 1)
  private var pool = FreeList()

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var count: Int { places.count }

  /// The entry under a key, which counts as use; an expired one goes.
  mutating func read(
    _ key: CacheKey, extending: ExpirationExtension, at moment: Timestamp, leaving: inout [StoredEntry]
  ) -> CacheResult<StoredEntry> {
    guard let place = places[key], let slot = slots[place] else { return .miss(.absent) }
    guard slot.deadline.hasPassed(at: moment) == false else {
      drop(key, leaving: &leaving)
      return .miss(.expired)
    }
    slots[place]?.deadline = slot.deadline.extended(extending, lifetime: slot.lifetime, from: moment.uptime)
    order.prepend(place, to: 0)
    return .hit(slot.entry)
  }

  /// The entry under a key, unless it is expired; that counts for nothing.
  func peek(_ key: CacheKey, at moment: Timestamp) -> StoredEntry? {
    guard let place = places[key], let slot = slots[place], slot.deadline.hasPassed(at: moment) == false else {
      return nil
    }
    return slot.entry
  }

  /// Keeps an entry in the place of the one before, if there is room for it.
  mutating func keep(
    _ entry: StoredEntry, for key: CacheKey, _ lifetime: Lifetime, at moment: Timestamp, leaving: inout [StoredEntry]
  ) {
    drop(key, leaving: &leaving)
    let slot = Slot(
      key: key, entry: entry, byteCount: Self.byteCount(of: entry, key), lifetime: lifetime,
      deadline: Deadline(lifetime, from: moment.uptime))
    guard slot.byteCount <= byteLimit, slot.deadline.hasPassed(at: moment) == false else { return }
    trim(to: byteLimit - slot.byteCount, leaving: &leaving)
    let place = pool.take()
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    places[key] = place
    byteCount += slot.byteCount
    order.prepend(place, to: 0)
  }

  /// Changes what is known about an entry; returns whether there is one.
  mutating func update(
    _ metadata: EntryMetadata, for key: CacheKey, at moment: Timestamp, leaving: inout [StoredEntry]
  ) -> Bool {
    guard var entry = peek(key, at: moment), let lifetime = places[key].flatMap({ slots[$0] })?.lifetime else {
      return false
    }
    entry.metadata = metadata
    keep(entry, for: key, metadata.expiration.map(Lifetime.init) ?? lifetime, at: moment, leaving: &leaving)
    return true
  }

  mutating func drop(_ key: CacheKey, leaving: inout [StoredEntry]) {
    guard let place = places.removeValue(forKey: key), let slot = slots[place] else { return }
    slots[place] = nil
    order.remove(place)
    pool.giveBack(place)
    byteCount -= slot.byteCount
    leaving.append(slot.entry)
  }

  mutating func setByteLimit(_ limit: Int, leaving: inout [StoredEntry]) {
    byteLimit = limit
    trim(to: limit, leaving: &leaving)
  }

  /// Evicts the least recently used until no more than so many bytes are left.
  mutating func trim(to limit: Int, leaving: inout [StoredEntry]) {
    while byteCount > limit, let place = order.last(of: 0), let slot = slots[place] {
      drop(slot.key, leaving: &leaving)
    }
  }

  /// About the memory that an entry takes.
  private static func byteCount(of entry: StoredEntry, _ key: CacheKey) -> Int {
    let headers = entry.metadata.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    return entry.body.count + key.text.utf8.count + headers + (entry.metadata.userInfo?.count ?? 0) + 512
  }
}
