import Foundation

/// Takes the time of work in milliseconds.
enum Clock {
  private static let countsProcessorTime = ProcessInfo.processInfo.environment["CLOCK"] == "cpu"

  static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = now()
    try work()
    return now() - start
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(countsProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}
