import Halcyon
import HalcyonSupport
import Synchronization

/// Results in memory by the paths that ask for them, for requests that need no work at all.
///
/// A result stays as long as its source is fresh, and not longer than a few seconds: then the request goes through the
/// pipeline again, which notices a result that another process has removed from disk.
final class ResponseCache: Sendable {
  struct Key: Hashable {
    /// The path with its signature, which has been checked.
    let path: String
    /// The formats chosen by `Accept`.
    let accepted: FormatRules.Accepted?
    var hints: ClientHints?

    /// Compares bytes, since a signature is valid for these bytes only.
    static func == (left: Key, right: Key) -> Bool {
      left.accepted == right.accepted && left.hints == right.hints && left.path.hasSameBytes(as: right.path)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(path.utf8.count)
      hasher.combine(path)
    }
  }

  private struct Entry {
    let response: ResultResponse
    /// Until when it is fresh, as uptime.
    let end: Duration
    /// Whether its source has not changed; `nil` leaves that to `end`.
    let isUnchanged: (@Sendable () -> Bool)?
    let number: UInt64

    var cost: Int { response.byteCount + ResponseCache.overhead }
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// The entries in the order of their insertion; entries that were replaced have another number.
    var order: [(key: Key, number: UInt64)] = []
    var firstIndex = 0
    var number: UInt64 = 0
    var byteCount = 0
    var generation = 0
  }

  private static let lifetime = Duration.seconds(5)
  /// The approximate memory of an entry without its bytes.
  private static let overhead = 1024

  private let byteLimit: Int
  private let time: any TimeSource
  private let state = Mutex(State())

  init(byteLimit: Int, time: any TimeSource) { (self.byteLimit, self.time) = (byteLimit, time) }

  /// How often everything was dropped.
  var generation: Int { state.withLock { $0.generation } }

  /// The result of a path, if it may be sent without asking the pipeline.
  subscript(key: Key) -> ResultResponse? {
    let entry = state.withLock { $0.entries[key] }
    guard let entry, time.uptime() < entry.end, entry.isUnchanged?() ?? true else { return nil }
    return entry.response
  }

  /// Keeps a result that is fresh for some time, and drops the oldest ones to make room.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether its source is unchanged, asked for each time; `nil` leaves that to `freshness`.
  ///   - generation: The ``generation`` when its load began; a result from before ``removeAll()`` is not kept.
  func insert(
    _ response: ResultResponse, for key: Key, freshness: Duration, isCurrent: (@Sendable () -> Bool)?,
    since generation: Int
  ) {
    let cost = response.byteCount + Self.overhead
    guard freshness > .zero, cost <= byteLimit / 8 else { return }
    let end = time.uptime() + min(freshness, Self.lifetime)
    var dropped: [Entry?] = []
    state.withLock { state in
      guard state.generation == generation else { return }
      state.number += 1
      let entry = Entry(response: response, end: end, isUnchanged: isCurrent, number: state.number)
      let replaced = state.entries.updateValue(entry, forKey: key)
      state.byteCount += cost - (replaced?.cost ?? 0)
      state.order.append((key, state.number))
      dropped.append(replaced)
      while state.byteCount > byteLimit, state.firstIndex < state.order.count {
        let oldest = state.order[state.firstIndex]
        state.firstIndex += 1
        guard let entry = state.entries[oldest.key], entry.number == oldest.number else { continue }
        dropped.append(state.entries.removeValue(forKey: oldest.key))
        state.byteCount -= entry.cost
      }
      if state.firstIndex > 64, state.firstIndex * 2 > state.order.count || state.order.count > state.entries.count * 4
      {
        state.order = state.order.filter { state.entries[$0.key]?.number == $0.number }
        state.firstIndex = 0
      }
    }
    // Large buffers are released without the lock.
    withExtendedLifetime(dropped) {}
  }

  /// Drops everything.
  func removeAll() {
    let old = state.withLock { state in
      defer { state = State(generation: state.generation + 1) }
      return state.entries
    }
    withExtendedLifetime(old) {}
  }
}
