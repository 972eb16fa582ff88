import Halcyon
@_spi(Programs) import HalcyonSupport
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
    let accepted: FormatRules.Accepted
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

  private struct Entry: Sendable {
    let response: ResultResponse
    /// Until when it is fresh, as uptime.
    let end: Duration
    /// Whether its source has not changed; `nil` leaves that to `end`.
    let isUnchanged: (@Sendable () -> Bool)?
    /// That of the cache when its load began.
    let generation: Int
  }

  static let lifetime = Duration.seconds(5)
  /// The approximate memory of an entry without its bytes.
  private static let overhead = 1024

  private let byteLimit: Int
  private let time: any TimeSource
  private let entries: RecentTable<Key, Entry>
  private let removalCount = Atomic(0)

  init(byteLimit: Int, time: any TimeSource) {
    (self.byteLimit, self.time) = (byteLimit, time)
    entries = RecentTable(costLimit: byteLimit)
  }

  /// How often everything was dropped.
  var generation: Int { removalCount.load(ordering: .relaxed) }

  /// The result of a path, if it may be sent without asking the pipeline.
  subscript(key: Key) -> ResultResponse? {
    guard let entry = entries[key], entry.generation == generation, time.uptime() < entry.end,
      entry.isUnchanged?() ?? true
    else { return nil }
    return entry.response
  }

  /// Keeps a result that is fresh for some time, in place of those that were asked for longest ago.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether its source is unchanged, asked for each time; `nil` leaves that to `freshness`.
  ///   - generation: The ``generation`` when its load began; a result from before ``removeAll()`` is not kept.
  func insert(
    _ response: ResultResponse, for key: Key, freshness: Duration, isCurrent: (@Sendable () -> Bool)?,
    since generation: Int
  ) {
    let cost = response.byteCount + Self.overhead
    guard freshness > .zero, cost <= byteLimit / 8, generation == self.generation else { return }
    let end = time.uptime() + min(freshness, Self.lifetime)
    let entry = Entry(response: response, end: end, isUnchanged: isCurrent, generation: generation)
    entries.insert(entry, for: key, cost: cost)
  }

  /// Drops everything.
  func removeAll() {
    removalCount.add(1, ordering: .relaxed)
    entries.removeAll()
  }
}
