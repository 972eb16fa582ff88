import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// Advisory locks with a timeout. Two open files contend for a lock as two processes do.
@Suite(.integrationTest)
struct DiskLockTests {
  private func open(_ path: String, in files: any FileSystem = SystemFiles()) throws -> FileDescriptor {
    try FileDescriptor(path: path, flags: O_RDWR | O_CREAT, in: files)
  }

  @Test(arguments: [LOCK_SH, LOCK_EX])
  func `a waiter acquires the lock when it is released`(kind: Int32) async throws {
    try await TemporaryDirectory.run { folder in
      let path = folder.appending(path: "lock").path()
      let holder = try open(path)
      try holder.lock(LOCK_EX)
      let files = ContendedLocks()
      async let isLocked = WorkerPool(name: "waiter", width: 1).run { _ in
        let file = try open(path, in: files)
        try file.lock(kind, timeout: .seconds(60))
        return try !open(path).lock(LOCK_EX | LOCK_NB)
      }
      await files.isContended.wait()
      try holder.lock(LOCK_UN)
      #expect(try await isLocked)
    }
  }

  @Test func `a lock that is not released within the timeout is a busy error`() async throws {
    try await TemporaryDirectory.run { folder in
      let path = folder.appending(path: "lock").path()
      let holder = try open(path)
      try holder.lock(LOCK_SH)
      try open(path).lock(LOCK_SH, timeout: .zero)
      #expect(throws: DiskCacheError.busy(path: path)) { try open(path).lock(LOCK_EX, timeout: .zero) }
      #expect(throws: DiskCacheError.busy(path: path)) { try open(path).lock(LOCK_EX, timeout: .milliseconds(3)) }
    }
  }

  @Test func `opening a missing index waits until other processes stop using theirs`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      try layout.create(isBackedUp: false, in: SystemFiles())
      let user = try open(layout.indexLock)
      try user.lock(LOCK_SH)
      let files = ContendedLocks()
      async let isCurrent = WorkerPool(name: "waiter", width: 1).run { _ in
        try IndexSession(layout: layout, configuration: DiskCacheConfiguration(), in: files).index.isCurrent()
      }
      await files.isContended.wait()
      try user.lock(LOCK_UN)
      #expect(try await isCurrent)
    }
  }

  @Test func `the index lock is free after each operation, also after one that failed`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder, configuration: DiskCacheConfiguration(cleaning: .whenAsked))
      let layout = DiskLayout(root: folder.path())
      let entry = StoredEntry(body: Data("body".utf8), metadata: .example)
      func expectFree(_ operation: Comment) throws {
        let other = try open(layout.indexLock)
        let isFree = try other.lock(LOCK_EX | LOCK_NB)
        #expect(isFree, operation)
        if isFree { try other.lock(LOCK_UN) }
      }
      try await cache.store(entry, for: "a")
      try expectFree("store")
      _ = try await cache.entry(for: "a")
      try expectFree("read")
      await cache.flushAccesses()
      try expectFree("flush")
      try await cache.updateMetadata(entry.metadata, for: "a")
      try expectFree("update")
      try await cache.setPinned(true, for: "a")
      try expectFree("pin")
      _ = try await cache.clean()
      try expectFree("clean")
      cache.configuration.sizeLimit = 4096
      await #expect(throws: DiskCacheError.self) { try await cache.store(entry, for: "b") }
      try expectFree("failed store")
      try await cache.removeAll()
      try expectFree("remove")
      await cache.willEnterBackground()
      try expectFree("background")
      cache.willTerminate()
      try expectFree("termination")
    }
  }

  @Test func `an index that another process rebuilds for longer than the timeout is a busy error`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      try layout.create(isBackedUp: false, in: SystemFiles())
      let rebuilder = try open(layout.indexLock)
      try rebuilder.lock(LOCK_EX)
      #expect(throws: DiskCacheError.busy(path: layout.indexLock)) {
        try IndexSession(
          layout: layout, configuration: DiskCacheConfiguration(), lockTimeout: .milliseconds(3), in: SystemFiles())
      }
      #expect(try SystemFiles().names(in: layout.writerLocks).isEmpty, "the writer that gave up leaves no lock file")
    }
  }
}

/// A file system that signals the first lock held elsewhere.
private final class ContendedLocks: FileSystem {
  let isContended = Signal()

  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    let result = body(byteCount)
    let code = errno
    if call == .lock, result < 0, code == EWOULDBLOCK { isContended.set() }
    errno = code
    return result
  }
}
