#if GTK
import Foundation
import HalcyonTestTraits
import Testing

/// The system calls of the main thread while a thousand images are loaded.
@Suite(.integrationTest, .slow) struct MainThreadTests {
  /// Calls that look up or open files, and calls that read at an offset, which only files support.
  private static let fileCalls = [
    "open", "openat", "openat2", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "readlink",
    "getdents64", "pread64", "preadv", "preadv2", "unlink", "rename", "mkdir",
  ]

  @Test func `the main thread opens, reads and looks up no files`() async throws {
    let trace = try await Scene.traceMainThread("view-loads", calls: Self.fileCalls + ["read", "readv"])
    let begin = try #require(trace.firstIndex { $0.contains("halcyon-loads-begin") })
    let end = try #require(trace.firstIndex { $0.contains("halcyon-loads-end") })
    // glibc's `free` reads this file once before it returns memory to the system.
    let calls = trace[(begin + 1)..<end].filter { !$0.contains("/proc/sys/vm/overcommit_memory") }
    // The main loop reads its eventfd, a descriptor without a path.
    let files = calls.filter { !$0.hasPrefix("read(") || $0.contains("</") }
    #expect(files.isEmpty, "\(files.count) calls, for example \(files.prefix(5))")
    #expect(!calls.isEmpty)
  }
}
#endif
