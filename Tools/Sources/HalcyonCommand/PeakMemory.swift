import Foundation

/// How much memory the process took at most since the meter was made; only where the kernel tells (Linux).
struct PeakMemory {
  private let start: Int?

  init() {
    // Resets the peak to what is resident now (proc(5), clear_refs).
    FileHandle(forWritingAtPath: "/proc/self/clear_refs")?.write(Data("5".utf8))
    start = Self.status("VmRSS:")
  }

  /// Bytes above those at the start, or `nil` where the kernel does not tell.
  func peakByteCount() -> Int? {
    guard let start, let peak = Self.status("VmHWM:") else { return nil }
    return max(0, peak - start)
  }

  private static func status(_ field: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return kilobytes * 1024
  }
}
