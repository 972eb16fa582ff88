import Foundation
import HalcyonSupport

/// The URLs of a host that were refused with `Retry-After`, as a value, and when they pause the host.
///
/// - Status 503 pauses the URL that has it: one broken image does not stop the others.
/// - Of ``hostThreshold`` URLs refused in a row, with no response served in between, it pauses the host, too. After that
///   few requests probe: one, then two, and twice as many after each pause until one is served.
/// - Probes are for URLs that were not refused, in turn from the beginning and the end of the queue, to get past broken
///   images at one end.
/// - A URL for which no load waits any longer no longer counts.
struct RefusedURLs {
  /// The number of refused URLs in a row that pauses their host.
  static let hostThreshold = 3

  /// The uptime at which each paused URL goes on.
  private var pauseEnds: [URL: Duration] = [:]
  /// Those refused since the last response that was served.
  private var inRow: Set<URL> = []
  /// The uptime at which the host goes on; `nil` if it is not paused.
  private var hostPauseEnd: Duration?
  /// The most transfers at once after a pause of the host.
  private var probeCount = 1

  var isEmpty: Bool { pauseEnds.isEmpty && inRow.isEmpty }

  /// The most transfers of the host at once; `nil` without a limit.
  var limit: Int? {
    guard inRow.count >= Self.hostThreshold else { return nil }
    return hostPauseEnd == nil ? probeCount : 0
  }

  /// Whether the next probe is the request that would start last.
  private(set) var probesLast = true

  /// The first uptime at which a URL or the host goes on.
  var nextEnd: Duration? { hostPauseEnd ?? pauseEnds.values.min() }

  func isPaused(_ url: URL) -> Bool { pauseEnds[url] != nil }

  func wasRefused(_ url: URL) -> Bool { inRow.contains(url) }

  /// Records a refusal.
  ///
  /// - Parameter end: The uptime until which it pauses the URL; `nil` if the whole host is paused anyway.
  mutating func refuse(_ url: URL, until end: Duration?) {
    let isProbe = limit != nil && hostPauseEnd == nil
    inRow.insert(url)
    guard let end else { return }
    if isProbe {
      probeCount = min(probeCount * 2, 1024)
      probesLast.toggle()
    }
    pauseEnds[url] = max(pauseEnds[url] ?? end, end)
    if limit != nil { hostPauseEnd = max(hostPauseEnd ?? end, end) }
  }

  /// Pauses a URL that was refused for longer, and its host if that is paused.
  mutating func extendPause(of url: URL, until end: Duration) {
    pauseEnds[url] = max(pauseEnds[url] ?? end, end)
    if let hostPauseEnd, wasRefused(url) { self.hostPauseEnd = max(hostPauseEnd, end) }
  }

  /// Records that a response was served, which ends the pause of the host.
  mutating func serve(_ url: URL) {
    if isEmpty { return }
    pauseEnds[url] = nil
    inRow = []
    goOn()
  }

  /// Forgets a URL for which no load waits.
  mutating func remove(_ url: URL) {
    pauseEnds[url] = nil
    inRow.remove(url)
    if inRow.count < Self.hostThreshold { goOn() }
  }

  /// Ends the pauses that are over.
  mutating func endPauses(at uptime: Duration) {
    pauseEnds = pauseEnds.filter { $0.value > uptime }
    if let end = hostPauseEnd, end <= uptime { hostPauseEnd = nil }
  }

  private mutating func goOn() {
    (hostPauseEnd, probeCount) = (nil, 1)
  }
}
