import Foundation
import Glibc

/// What is measured of this process.
enum Figures {
  /// Prints one figure, and what it should be at most.
  static func print(_ name: String, _ value: Double, _ unit: String, atMost goal: Double? = nil) {
    let suffix = goal.map { " goal <= \($0)" } ?? ""
    Swift.print("METRIC \(name) \(String(format: "%.3f", value)) \(unit)\(suffix)")
  }

  /// Processor time of the calling thread.
  static var threadTime: Duration { time(CLOCK_THREAD_CPUTIME_ID) }

  /// Processor time of the process.
  static var processTime: Duration { time(CLOCK_PROCESS_CPUTIME_ID) }

  /// Megabytes in memory now (`VmRSS`), or at most so far (`VmHWM`).
  static func megabytes(_ field: String) -> Double {
    // FileHandle: `/proc` files have no length.
    let status = FileHandle(forReadingAtPath: "/proc/self/status").map {
      String(decoding: $0.availableData, as: UTF8.self)
    }
    let line = status?.split(separator: "\n").first { $0.hasPrefix(field) }
    return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? 0) / 1024
  }

  /// The value below which a part of the values lies.
  static func percentile(_ part: Double, of values: [Duration]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))] / .milliseconds(1)
  }

  private static func time(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
