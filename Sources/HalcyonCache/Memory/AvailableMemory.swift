import Foundation

/// How much memory this process may use, its container considered.
struct AvailableMemory {
  /// Where the control groups are mounted: those of version 2, or a folder for each controller of version 1.
  var controlGroups = URL(fileURLWithPath: "/sys/fs/cgroup", isDirectory: true)
  /// The file that names the group of this process.
  var membership = URL(fileURLWithPath: "/proc/self/cgroup")
  /// What the machine has; `ProcessInfo` knows nothing of containers.
  var physicalMemory = ProcessInfo.processInfo.physicalMemory

  /// Bytes: the least that this process's group and those above it may use, else all the machine has.
  var bytes: Int {
    let files =
      groups.map { $0.appendingPathComponent("memory.max") }
      + groupsOfVersion1.map { $0.appendingPathComponent("memory.limit_in_bytes") }
    let limits = files.compactMap { file -> UInt64? in
      // Absent without control groups, and `max` without a limit.
      guard let text = Self.text(of: file) else { return nil }
      return UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return Int(clamping: limits.reduce(physicalMemory, min))
  }

  /// The folder of this process's group, then those above it.
  var groups: [URL] { groups(of: { $0.isEmpty }, below: controlGroups) }

  /// The same for the controller of memory alone, on systems where every controller has groups of its own.
  private var groupsOfVersion1: [URL] {
    groups(of: { $0.contains("memory") }, below: controlGroups.appendingPathComponent("memory", isDirectory: true))
  }

  /// The groups of a hierarchy, which has a line `number:controllers:path`.
  private func groups(of isHierarchy: ([Substring]) -> Bool, below root: URL) -> [URL] {
    let lines = Self.text(of: membership)?.split(separator: "\n") ?? []
    let path = lines.lazy.map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
      .first { $0.count == 3 && isHierarchy($0[1].split(separator: ",")) }?[2]
    var names = (path ?? "").split(separator: "/").filter { $0 != ".." }
    var groups: [URL] = []
    while !names.isEmpty {
      groups.append(names.reduce(root) { $0.appendingPathComponent(String($1), isDirectory: true) })
      names.removeLast()
    }
    return groups + [root]
  }

  /// What a file of the kernel says; these have no size to be asked for first.
  private static func text(of file: URL) -> String? {
    guard let handle = try? FileHandle(forReadingFrom: file), let bytes = try? handle.readToEnd() else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
