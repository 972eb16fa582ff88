#if os(Linux)
import Glibc

/// Milliseconds that some work took, and those that processors spent on it, the system's work for it included.
struct ProcessCost {
  var wall: Double
  var processor: Double

  /// - Parameter ofChildren: Whether the processes count that this one has started and waited for, and not itself.
  static func measured(
    ofChildren: Bool = false, _ work: () async throws -> Void
  ) async rethrows -> ProcessCost {
    let (start, before) = (ContinuousClock.now, processorTime(ofChildren: ofChildren))
    try await work()
    return ProcessCost(
      wall: start.duration(to: .now) / .milliseconds(1),
      processor: processorTime(ofChildren: ofChildren) - before)
  }

  static func - (left: ProcessCost, right: ProcessCost) -> ProcessCost {
    ProcessCost(wall: left.wall - right.wall, processor: left.processor - right.processor)
  }

  private static func processorTime(ofChildren: Bool) -> Double {
    var usage = rusage()
    getrusage(ofChildren ? RUSAGE_CHILDREN.rawValue : RUSAGE_SELF.rawValue, &usage)
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
  }

  private static func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
  }
}
#endif
