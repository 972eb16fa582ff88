package import Foundation
import CHalcyonSystemShim

/// An open file, closed when the value is destroyed. Calls that a signal interrupts are retried.
///
/// A symbolic link is not followed, and opening a pipe does not wait for its other end.
package struct FileDescriptor: ~Copyable {
  private let number: Int32
  private let path: String
  private let fileSystem: any FileSystem
  /// Whether reads wait for the disk instead of failing with `EAGAIN`.
  private let isBlocking: Bool

  package init(
    path: String, flags: Int32, mode: mode_t = 0o600, in fileSystem: any FileSystem = SystemFiles()
  ) throws(DiskCacheError) {
    number = Int32(
      try fileSystem.check(.open, path) { _ in Int(open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)) })
    self.path = path
    self.fileSystem = fileSystem
    isBlocking = true
  }

  /// Opens a file for nonblocking reads: opening and reading fail with `EAGAIN` where they would wait for the disk.
  init(nonblocking path: String, in fileSystem: any FileSystem) throws(DiskCacheError) {
    number = Int32(try fileSystem.check(.open, path) { _ in Int(halcyon_open_cached(path)) })
    self.path = path
    self.fileSystem = fileSystem
    isBlocking = false
  }

  deinit { close(number) }

  package func status() throws(DiskCacheError) -> stat {
    var result = stat()
    try fileSystem.check(.status, path) { _ in Int(fstat(number, &result)) }
    return result
  }

  /// Reads `count` bytes at an offset; fewer only at the end of the file.
  package func read(count: Int, at offset: Int) throws(DiskCacheError) -> [UInt8] {
    var failure: DiskCacheError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      do throws(DiskCacheError) {
        initializedCount = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Fills the buffer from an offset and returns the bytes read; fewer than its size only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = buffer.baseAddress.map { $0 + done }
      let count = try fileSystem.check(.read, path, byteCount: buffer.count - done) { byteCount in
        isBlocking
          ? pread(number, rest, byteCount, off_t(offset + done))
          : halcyon_read_cached(number, rest, byteCount, Int64(offset + done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all bytes at an offset.
  func write(_ bytes: some ContiguousBytes, at offset: Int) throws(DiskCacheError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(DiskCacheError) in try write(bytes, at: offset) }
    }.get()
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskCacheError) {
    var done = 0
    while done < bytes.count {
      let rest = bytes.baseAddress.map { $0 + done }
      done += try fileSystem.check(.write, path, byteCount: bytes.count - done) { byteCount in
        pwrite(number, rest, byteCount, off_t(offset + done))
      }
    }
  }

  /// Sets the access and modification times.
  func setModificationDate(_ date: Date) throws(DiskCacheError) {
    let time = timespec(date)
    try fileSystem.check(.setTimes, path) { _ in Int(futimens(number, [time, time])) }
  }

  /// Acquires or releases the advisory lock (`flock`).
  ///
  /// - Parameter flags: `LOCK_SH`, `LOCK_EX` or `LOCK_UN`. The call blocks while the lock is held elsewhere, unless
  ///   `LOCK_NB` is set as well.
  /// - Returns: `false` when `LOCK_NB` is set and the lock is held elsewhere.
  @discardableResult
  func lock(_ flags: Int32) throws(DiskCacheError) -> Bool {
    let number = number
    return try ignoring(
      { $0.systemCode == EWOULDBLOCK }, try fileSystem.check(.lock, path) { _ in Int(flock(number, flags)) }) != nil
  }

  /// Acquires the advisory lock, waiting for at most `timeout`. Blocks the calling thread.
  ///
  /// The lock is polled, because neither `flock` nor the record locks of `fcntl` take a timeout on Linux. A blocking
  /// call could be ended only by a signal, whose handler belongs to the whole process, or be left behind on a helper
  /// thread for as long as the lock is held. So call this only on the thread of a ``DiskWriter``, which runs only the
  /// changes of one cache, or on the thread of a caller that accepts the wait; never on a thread that reads.
  ///
  /// - Throws: ``DiskCacheError/busy(path:)`` after the timeout.
  func lock(_ flags: Int32, timeout: Duration) throws(DiskCacheError) {
    let end = ContinuousClock.now + timeout
    // Backs off from 1 to 25 ms: entry files are locked for microseconds, the index for seconds during a rebuild.
    var microseconds: UInt32 = 1000
    while try !lock(flags | LOCK_NB) {
      guard ContinuousClock.now < end else { throw .busy(path: path) }
      usleep(microseconds)
      microseconds = min(2 * microseconds, 25_000)
    }
  }
}
