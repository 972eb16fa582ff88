/// Work that has not ended, in the order of its start, as a value.
///
/// All operations take constant time, amortised.
struct WriteOrder<Work: Sendable>: Sendable {
  private struct Entry: Sendable {
    let work: Work
    let byteCount: Int
  }

  private static var spareSlotCount: Int { 64 }

  private var entries: [UInt64: Entry] = [:]
  /// Identifiers of work with bytes in rising order; those before `head` have ended, others may have.
  private var order: [UInt64] = []
  private var head = 0
  private var lastID: UInt64 = 0

  /// The bytes to be written by all pending work.
  private(set) var byteCount = 0

  /// All pending work, in no particular order.
  var all: [Work] { entries.values.map(\.work) }

  /// The pending work with bytes, in no particular order.
  var allWithBytes: [Work] { entries.values.lazy.filter { $0.byteCount > 0 }.map(\.work) }

  /// The work that was added after the one with an identifier, in no particular order.
  func all(after id: UInt64) -> [Work] { entries.lazy.filter { $0.key > id }.map(\.value.work) }

  /// Slots in use for the order: at most twice the number of pending work, and 64.
  var slotCount: Int { order.count }

  /// Adds work.
  ///
  /// - Parameter start: Starts the work with an identifier for ``remove(_:)``.
  mutating func add(byteCount: Int, start: (UInt64) -> Work) -> Work {
    lastID += 1
    let work = start(lastID)
    entries[lastID] = Entry(work: work, byteCount: byteCount)
    if byteCount > 0 { order.append(lastID) }
    self.byteCount += byteCount
    return work
  }

  /// Removes work that has ended.
  mutating func remove(_ id: UInt64) {
    byteCount -= entries.removeValue(forKey: id)?.byteCount ?? 0
    while head < order.count, entries[order[head]] == nil { head += 1 }
    guard order.count > 2 * entries.count + Self.spareSlotCount else { return }
    order = order[head...].filter { entries[$0] != nil }
    head = 0
  }

  /// The oldest pending work with bytes.
  var oldest: Work? { head < order.count ? entries[order[head]]?.work : nil }
}
