import HalcyonSupport

/// Tells the reader of a store which tier of a ``TieredStore`` an entry was in.
package enum TierTrace {
  /// The name that was recorded last.
  private final class Recorder: Sendable {
    let name = Lock<String?>(nil)
  }

  @TaskLocal private static var current: Recorder?
  private static let isNeeded = Atomic(false)

  /// Called by the first tiered store: programs without one record nothing.
  package static func begin() { isNeeded.store(true) }

  /// The result of a read, and the name of the tier that had the entry; `nil` without an entry, and for other stores.
  package static func recording<Result>(_ read: () async -> Result) async -> (Result, tier: String?) {
    guard isNeeded.load() else { return (await read(), nil) }
    let recorder = Recorder()
    let result = await $current.withValue(recorder) { await read() }
    return (result, recorder.name.withLock { $0 })
  }

  package static func record(_ name: String) { current?.name.withLock { $0 = name } }
}
