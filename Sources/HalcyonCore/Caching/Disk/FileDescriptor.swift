import Foundation

/// An open file, closed with its owner. Every call is tried again when a signal interrupts it.
struct FileDescriptor: ~Copyable {
  private let number: Int32
  private let path: String

  init(path: String, flags: Int32, mode: mode_t = 0o600) throws(DiskCacheError) {
    number = try Self.check("open", path) { open(path, flags | O_CLOEXEC, mode) }
    self.path = path
  }

  deinit { close(number) }

  func status() throws(DiskCacheError) -> stat {
    var result = stat()
    _ = try Self.check("fstat", path) { fstat(number, &result) }
    return result
  }

  /// Up to `count` bytes from a place in the file; fewer only at its end.
  func read(count: Int, at offset: Int) throws(DiskCacheError) -> [UInt8] {
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
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try Self.check("read", path) { pread(number, rest.baseAddress, rest.count, off_t(offset + done)) }
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
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      done += try Self.check("write", path) { pwrite(number, rest.baseAddress, rest.count, off_t(offset + done)) }
    }
  }

  /// Takes the advisory lock; `false` when another process has it and `flags` say not to wait.
  func lock(_ flags: Int32) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      _ = try Self.check("flock", path) { flock(number, flags) }
      return true
    } catch {
      if case .system(_, _, EWOULDBLOCK) = error { return false }
      throw error
    }
  }

  /// The result of a call, or what `errno` says when it is negative.
  static func check<Number: SignedInteger>(
    _ call: String, _ path: String, _ body: () -> Number
  ) throws(DiskCacheError) -> Number {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw .system(call: call, path: path, code: code) }
    }
  }
}
