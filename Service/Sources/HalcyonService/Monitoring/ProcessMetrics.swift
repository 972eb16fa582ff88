import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The resources that the process uses, under the names of Prometheus' client libraries.
enum ProcessMetrics {
  private static let start = Date().timeIntervalSince1970

  static var measures: [Measure] {
    var measures = [
      Measure("process_cpu_seconds_total", "Processor time in seconds, of all threads.", cpuSeconds),
      Measure("process_start_time_seconds", "When the process started, in seconds since 1970.", type: "gauge", start),
    ]
    #if os(Linux)
    if let pages = residentPages {
      measures.append(
        .gauge("process_resident_memory_bytes", "Resident memory in bytes.", pages * Int(sysconf(Int32(_SC_PAGESIZE)))))
    }
    if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      measures.append(.gauge("process_open_fds", "Open file descriptors.", files.count))
    }
    #endif
    measures.append(.gauge("process_max_fds", "The most open file descriptors.", ServiceConfiguration.descriptorLimit))
    return measures
  }

  /// POSIX counts microseconds.
  private static var cpuSeconds: Double { Double(clock()) / 1e6 }

  #if os(Linux)
  /// The second field of `/proc/self/statm`.
  private static var residentPages: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
  #endif
}
