import Foundation
#if canImport(Darwin)
import os
#endif

/// The memory available to this process, within the limits of its control groups (cgroups), or of an app on Apple's
/// mobile systems: widgets and extensions may use 30 to 120 MB.
struct AvailableMemory {
  /// The most bytes that the memory cache of an app takes by default.
  private static let appCacheLimit = 512 << 20

  /// The mount point of the control groups: of version 2, or of version 1 with a folder for each controller.
  var controlGroups = URL(fileURLWithPath: "/sys/fs/cgroup", isDirectory: true)
  /// The file that lists the control groups of this process.
  var membership = URL(fileURLWithPath: "/proc/self/cgroup")
  /// The memory of the machine, in bytes; `ProcessInfo` ignores control groups.
  var physicalMemory = ProcessInfo.processInfo.physicalMemory
  /// The memory that the system leaves to this app now, in bytes; 0 without such a limit.
  var appMemory = Self.appMemory

  #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
  private static var appMemory: Int { os_proc_available_memory() }
  #else
  private static let appMemory = 0
  #endif

  /// The default limit of a memory cache, in bytes.
  var cacheByteLimit: Int { appMemory > 0 ? min(bytes / 4, Self.appCacheLimit) : bytes / 4 }

  /// Bytes: the smallest limit of this process's group and its ancestors, or of the app, at most the physical memory.
  var bytes: Int {
    if appMemory > 0 { return appMemory }
    let files =
      groups.map { $0.appendingPathComponent("memory.max") }
      + groupsOfVersion1.map { $0.appendingPathComponent("memory.limit_in_bytes") }
    let limits = files.compactMap { file -> UInt64? in
      // The file is missing without control groups, and contains `max` without a limit.
      guard let text = Self.text(of: file) else { return nil }
      return UInt64(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return Int(clamping: limits.reduce(physicalMemory, min))
  }

  /// The folder of this process's group, then its ancestors' folders.
  var groups: [URL] { groups(of: { $0.isEmpty }, below: controlGroups) }

  /// The folders for the memory controller of version 1, where each controller has its own hierarchy.
  private var groupsOfVersion1: [URL] {
    groups(of: { $0.contains("memory") }, below: controlGroups.appendingPathComponent("memory", isDirectory: true))
  }

  /// The groups in the hierarchy whose controllers match, from its line `number:controllers:path`.
  private func groups(of isHierarchy: ([Substring]) -> Bool, below root: URL) -> [URL] {
    let lines = Self.text(of: membership)?.split(separator: "\n") ?? []
    let path = lines.lazy.map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
      .first { $0.count == 3 && isHierarchy($0[1].split(separator: ",")) }?[2]
    var names = (path ?? "").utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }.filter { $0 != ".." }
    var groups: [URL] = []
    while !names.isEmpty {
      groups.append(names.reduce(root) { $0.appendingPathComponent(String($1), isDirectory: true) })
      names.removeLast()
    }
    return groups + [root]
  }

  /// The content of a kernel file. Such files report no size, so they are read to the end.
  private static func text(of file: URL) -> String? {
    guard let handle = try? FileHandle(forReadingFrom: file), let bytes = try? handle.readToEnd() else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
