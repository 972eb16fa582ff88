import Foundation
import Glibc

/// Measurements of this process, and their output.
enum Metrics {
  /// Prints one METRIC line, with the upper limit that is its goal, if any.
  static func print(_ name: String, _ value: Double, _ unit: String, atMost goal: Double? = nil) {
    let suffix = goal.map { " goal <= \($0)" } ?? ""
    Swift.print("METRIC \(name) \(String(format: "%.3f", value)) \(unit)\(suffix)")
  }

  /// The processor time of the calling thread.
  static var threadTime: Duration { time(CLOCK_THREAD_CPUTIME_ID) }

  /// The processor time of the process.
  static var processTime: Duration { time(CLOCK_PROCESS_CPUTIME_ID) }

  /// The resident memory in MiB: now (`VmRSS`), or its peak (`VmHWM`).
  static func megabytes(_ field: String) -> Double {
    // Read by FileHandle, since `/proc` files report no length.
    let status = FileHandle(forReadingAtPath: "/proc/self/status").map {
      String(decoding: $0.availableData, as: UTF8.self)
    }
    let line = status?.split(separator: "\n").first { $0.hasPrefix(field) }
    return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? 0) / 1024
  }

  /// Sets the peak of the resident memory to its present size (proc(5), clear_refs).
  static func resetPeak() { FileHandle(forWritingAtPath: "/proc/self/clear_refs")?.write(Data("5".utf8)) }

  /// A percentile in milliseconds; `fraction` is from 0 to 1.
  static func percentile(_ fraction: Double, of values: [Duration]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(fraction * Double(sorted.count)))] / .milliseconds(1)
  }

  private static func time(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
