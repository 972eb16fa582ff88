import HalcyonSupport

/// Decides when progress is worth telling, and measures how fast the bytes come.
struct ProgressMeter {
  private let interval: Duration
  private let start: Duration
  private let earlierByteCount: Int
  private var lastReport: (uptime: Duration, byteCount: Int)?

  /// - Parameters:
  ///   - interval: The shortest time between two reports.
  ///   - earlierByteCount: Bytes that an earlier transfer had brought.
  init(interval: Duration, earlierByteCount: Int, now: Duration) {
    self.interval = interval
    self.earlierByteCount = earlierByteCount
    start = now
  }

  /// The progress to report, or `nil` when it is too soon after the last.
  mutating func report(received: Int, expected: Int?, isLast: Bool, now: Duration) -> LoadProgress? {
    guard received != lastReport?.byteCount else { return nil }
    if let lastReport, !isLast, received != expected, now - lastReport.uptime < interval { return nil }
    lastReport = (now, received)
    let seconds = (now - start).inSeconds
    return LoadProgress(
      receivedByteCount: received, expectedByteCount: expected,
      bytesPerSecond: seconds > 0 ? Double(received - earlierByteCount) / seconds : nil)
  }
}
