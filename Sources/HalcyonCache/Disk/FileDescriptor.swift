package import Foundation
import SystemShim

/// An open file, closed with its owner. Every call is tried again when a signal interrupts it.
package struct FileDescriptor: ~Copyable {
  private let number: Int32
  private let path: String
  private let fileSystem: any FileSystem
  /// Whether reading waits for the disk, instead of failing with `EAGAIN`.
  private let waits: Bool

  package init(
    path: String, flags: Int32, mode: mode_t = 0o600, in fileSystem: any FileSystem = SystemFiles()
  ) throws(DiskCacheError) {
    number = Int32(try fileSystem.check(.open, path) { _ in Int(open(path, flags | O_CLOEXEC, mode)) })
    self.path = path
    self.fileSystem = fileSystem
    waits = true
  }

  /// Opens a file to be read without waiting for the disk: what would have to wait fails with `EAGAIN`.
  init(cached path: String, in fileSystem: any FileSystem) throws(DiskCacheError) {
    number = Int32(try fileSystem.check(.open, path) { _ in Int(halcyon_open_cached(path)) })
    self.path = path
    self.fileSystem = fileSystem
    waits = false
  }

  deinit { close(number) }

  package func status() throws(DiskCacheError) -> stat {
    var result = stat()
    try fileSystem.check(.status, path) { _ in Int(fstat(number, &result)) }
    return result
  }

  /// Up to `count` bytes from a place in the file; fewer only at its end.
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

  /// Fills the buffer from a place in the file and returns how much of it; less only at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = buffer.baseAddress.map { $0 + done }
      let count = try fileSystem.check(.read, path, byteCount: buffer.count - done) { byteCount in
        waits
          ? pread(number, rest, byteCount, off_t(offset + done))
          : halcyon_read_cached(number, rest, byteCount, Int64(offset + done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all bytes to a place in the file.
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

  /// Sets when the file was last changed.
  func setModificationDate(_ date: Date) throws(DiskCacheError) {
    let time = timespec(date)
    try fileSystem.check(.setTimes, path) { _ in Int(futimens(number, [time, time])) }
  }

  /// Waits until what was written is on the disk.
  func sync() throws(DiskCacheError) {
    try fileSystem.check(.sync, path) { _ in
      #if canImport(Darwin)
      // There `fsync` only hands the bytes to the disk, which keeps them in memory of its own.
      Int(fcntl(number, F_FULLFSYNC))
      #else
      Int(fsync(number))
      #endif
    }
  }

  /// Takes the advisory lock, or gives it back; `false` when another holder is in the way and `flags` say not to wait.
  @discardableResult
  func lock(_ flags: Int32) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      try fileSystem.check(.lock, path) { _ in Int(flock(number, flags)) }
      return true
    } catch {
      guard error.systemCode == EWOULDBLOCK else { throw error }
      return false
    }
  }

  /// Tries for a short time to take the advisory lock.
  func lock(_ flags: Int32, for patience: Duration) throws(DiskCacheError) {
    let end = ContinuousClock.now + patience
    while try !lock(flags | LOCK_NB) {
      guard ContinuousClock.now < end else { throw .busy(path: path) }
      usleep(1000)
    }
  }
}

extension timespec {
  init(_ date: Date) {
    // What no file system can note is noted as the end of time; ext4 knows no later one than 2446.
    let time = date.timeIntervalSince1970
    let seconds = time.isNaN ? 0 : min(max(time, -1e10), 1e12).rounded(.down)
    self.init(tv_sec: Int(seconds), tv_nsec: seconds + 1 > time ? Int((time - seconds) * 1e9) : 0)
  }
}

extension stat {
  var modificationDate: Date {
    #if canImport(Darwin)
    let time = st_mtimespec
    #else
    let time = st_mtim
    #endif
    return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
  }
}
