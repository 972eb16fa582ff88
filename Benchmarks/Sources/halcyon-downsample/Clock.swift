import Foundation

/// Measures the time of work in milliseconds.
enum Clock {
  case wall
  /// The CPU time of all threads.
  case processor

  /// The wall clock, unless `CLOCK=cpu` is in the environment.
  static let standard: Clock = ProcessInfo.processInfo.environment["CLOCK"] == "cpu" ? .processor : .wall

  static func milliseconds(_ work: () throws -> Void) rethrows -> Double { try standard.milliseconds(work) }

  func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = now()
    try work()
    return now() - start
  }

  private func now() -> Double {
    var time = timespec()
    clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
