#if GTK
import Foundation
import Testing

/// What the main thread asks of the system while a thousand images are loaded.
@Suite(.serialized) struct MainThreadTests {
  /// Calls that look for files or open them, and those that read at a position, as only files are read.
  private static let fileCalls = [
    "open", "openat", "openat2", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "readlink",
    "getdents64", "pread64", "preadv", "preadv2", "unlink", "rename", "mkdir",
  ]

  @Test func `the main thread opens, looks for and reads no file`() throws {
    let trace = try Scene.traceMainThread("view-loads", calls: Self.fileCalls + ["read", "readv"])
    let begin = try #require(trace.firstIndex { $0.contains("halcyon-loads-begin") })
    let end = try #require(trace.firstIndex { $0.contains("halcyon-loads-end") })
    // The C library's `free` looks once whether it may give memory back.
    let calls = trace[(begin + 1)..<end].filter { !$0.contains("/proc/sys/vm/overcommit_memory") }
    // The loop reads its own wake-up calls, and nothing else.
    let files = calls.filter { !$0.hasPrefix("read(") || $0.contains("</") }
    #expect(files.isEmpty, "\(files.count) calls, for example \(files.prefix(5))")
    #expect(!calls.isEmpty)
  }
}
#endif
