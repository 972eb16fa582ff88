import Foundation

@testable import HalcyonSupport
@testable import HalcyonCache

/// The system's files, until the process dies: then every call does nothing.
final class MortalFileSystem: FileSystem {
  private let callsLeft = Lock(Int.max)

  /// Whether there is any call that did nothing.
  var isDead: Bool { callsLeft.withLock { $0 < 0 } }

  func die(after callCount: Int) { callsLeft.withLock { $0 = callCount } }

  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (Int) -> Int) -> Int {
    let isAlive = callsLeft.withLock { left in
      if left != .max { left -= 1 }
      return left >= 0
    }
    if isAlive { return body(byteCount) }
    errno = EIO
    return -1
  }

  /// Waits until the dead hold no locks: the thread that a writer works on may keep it for a moment.
  static func waitForLocks(in folder: URL, besides living: Set<String> = []) async throws {
    let layout = DiskLayout(root: folder.path())
    while try !WriterLock.dead(layout: layout, in: SystemFiles())
      .isSuperset(of: Set(SystemFiles().names(in: layout.owners)).subtracting(living))
    { await Task.yield() }
  }
}
