import Foundation

/// Measures the time of work in milliseconds.
enum Clock {
  private static let measuresCPUTime = ProcessInfo.processInfo.environment["CLOCK"] == "cpu"

  static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = now()
    try work()
    return now() - start
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(measuresCPUTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
