import Foundation

/// How much memory this process may use, its container considered.
struct MemoryAllowance {
  /// Where the control groups of version 2 are mounted.
  var controlGroups = URL(fileURLWithPath: "/sys/fs/cgroup", isDirectory: true)
  /// The file that names the group of this process.
  var membership = URL(fileURLWithPath: "/proc/self/cgroup")
  /// What the machine has; `ProcessInfo` knows nothing of containers.
  var physicalMemory = ProcessInfo.processInfo.physicalMemory

  /// Bytes: the least that `memory.max` allows in this process's group and those above it, else all the machine has.
  var bytes: Int {
    let limits = groups.compactMap { group -> UInt64? in
      let file = group.appendingPathComponent("memory.max")
      // Absent without control groups, and `max` without a limit.
      guard let text = Self.text(of: file) else { return nil }
      return UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return Int(clamping: limits.reduce(physicalMemory, min))
  }

  /// The folder of this process's group, then those above it.
  var groups: [URL] {
    let lines = Self.text(of: membership)?.split(separator: "\n") ?? []
    let path = lines.first { $0.hasPrefix("0::/") }?.dropFirst(4) ?? ""
    var names = path.split(separator: "/").filter { $0 != ".." }
    var groups: [URL] = []
    while !names.isEmpty {
      groups.append(names.reduce(controlGroups) { $0.appendingPathComponent(String($1), isDirectory: true) })
      names.removeLast()
    }
    return groups + [controlGroups]
  }

  /// What a file of the kernel says; these have no size to be asked for first.
  private static func text(of file: URL) -> String? {
    guard let handle = try? FileHandle(forReadingFrom: file), let bytes = try? handle.readToEnd() else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
