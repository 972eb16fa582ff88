import HalcyonSupport
import Foundation

@testable import HalcyonCache

/// The system's files until a simulated crash, after which every call fails with `EIO` and has no effect.
final class CrashingFileSystem: FileSystem {
  private let callsLeft = Lock(Int.max)

  /// Whether a call has failed because of the crash.
  var hasCrashed: Bool { callsLeft.withLock { $0 < 0 } }

  func crash(after callCount: Int) { callsLeft.withLock { $0 = callCount } }

  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (Int) -> Int) -> Int {
    let isRunning = callsLeft.withLock { left in
      if left != .max { left -= 1 }
      return left >= 0
    }
    if isRunning { return body(byteCount) }
    errno = EIO
    return -1
  }

  /// Waits until crashed writers hold no locks: the thread of a writer may keep its lock for a moment.
  static func waitForLocks(in folder: URL, besides otherWriters: Set<String> = []) async throws {
    let layout = DiskLayout(root: folder.path())
    while try !WriterLock.abandonedWriters(layout: layout, in: SystemFiles())
      .isSuperset(of: Set(SystemFiles().names(in: layout.writerLocks)).subtracting(otherWriters))
    { await Task.yield() }
  }
}
