import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

@Suite(.unitTest)
struct AvailableMemoryTests {
  /// The available memory of a process in the groups of `membership`; the control groups are created in `folder`.
  private func availableMemory(limits: [String: String], membership: String, in folder: URL) throws -> AvailableMemory {
    for (group, limit) in limits {
      let directory = folder.appendingPathComponent("groups" + group, isDirectory: true)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let name = group.hasPrefix("/memory") ? "memory.limit_in_bytes" : "memory.max"
      try Data("\(limit)\n".utf8).write(to: directory.appendingPathComponent(name))
    }
    let file = folder.appendingPathComponent("cgroup")
    try Data(membership.utf8).write(to: file)
    return AvailableMemory(
      controlGroups: folder.appendingPathComponent("groups", isDirectory: true), membership: file,
      physicalMemory: 8_000_000_000)
  }

  @Test(
    arguments: [
      (["/a/b": "1000000000"], "0::/a/b\n", 1_000_000_000),
      (["/a/b": "max", "/a": "2000000000"], "0::/a/b\n", 2_000_000_000),
      (["/a/b": "3000000000", "/a": "2000000000"], "0::/a/b\n", 2_000_000_000),
      (["": "500000000"], "0::/\n", 500_000_000),
      (["": "500000000"], "0::/gone\n", 500_000_000),
      (["/a": "1000"], "9:memory:/a\n0::/b\n", 8_000_000_000),
      (["/memory/a": "1000000000"], "10:cpu,cpuacct:/b\n9:memory:/a\n0::/b\n", 1_000_000_000),
      (["/memory": "700000000"], "9:hugetlb,memory:/a/b\n", 700_000_000),
      (["/memory/a": "600000000"], "9:hugetlb,memory:/a\n", 600_000_000),
      (["/memory/a": "9223372036854771712"], "9:memory:/a\n", 8_000_000_000),
      (["/a/b": "max"], "0::/a/b\n", 8_000_000_000),
      (["/a": "99999999999999999999999"], "0::/a\n", 8_000_000_000),
      (["/a": "9000000000"], "0::/a\n", 8_000_000_000),
      (["/a": "1000000000"], "0::/../a\n", 1_000_000_000), ([:], "", 8_000_000_000),
    ] as [([String: String], String, Int)])
  func `the smallest limit of the process's control groups applies`(
    limits: [String: String], membership: String, bytes: Int
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("halcyon-\(UUID())", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try availableMemory(limits: limits, membership: membership, in: folder).bytes == bytes)
  }

  @Test(arguments: [(40 << 20, 10 << 20), (8 << 30, 512 << 20)])
  func `a cache takes a quarter of what the system leaves to an app, up to a limit`(appMemory: Int, limit: Int) {
    #expect(AvailableMemory(physicalMemory: 8 << 30, appMemory: appMemory).cacheByteLimit == limit)
  }

  @Test func `the default cost limit is at most a quarter of physical memory`() {
    let limit = MemoryCacheConfiguration.defaultCostLimit
    #expect(limit > 0)
    #expect(limit <= Int(clamping: ProcessInfo.processInfo.physicalMemory / 4))
    #expect(MemoryCacheConfiguration().costLimit == limit)
  }
}
