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
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) * 1000 + Double($1.tv_usec) / 1000 }
  }
}
#endif
