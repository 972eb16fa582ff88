import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The lines of the log on standard error, in their order.
///
/// The lines of requests are written together, a few milliseconds later: a write for each would be a fifth of the work for a
/// cached result. Lines that nothing reads are dropped.
public enum StandardErrorLog {
  private struct State {
    var bytes: [UInt8] = []
    /// Whether a task writes them soon.
    var isScheduled = false
  }

  private static let interval = Duration.milliseconds(5)
  /// Waiting lines with more bytes than this are written at once.
  private static let byteLimit = 1 << 16
  private static let state = Mutex(State())

  /// Writes a line, and those that wait, before it returns.
  static func write(_ line: consuming LogLine) {
    state.withLock { state in
      state.bytes += line.bytes
      state.bytes.append(10)
      writeAll(&state.bytes)
    }
  }

  /// Writes a line soon.
  static func enqueue(_ line: consuming LogLine) {
    let isFirst = state.withLock { state in
      state.bytes += line.bytes
      state.bytes.append(10)
      if state.bytes.count > byteLimit { writeAll(&state.bytes) }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    Task.detached {
      try? await Task.sleep(for: interval)
      flush()
    }
  }

  /// Writes the lines that wait; at the end of the program.
  public static func flush() {
    state.withLock { state in
      state.isScheduled = false
      writeAll(&state.bytes)
    }
  }

  private static func writeAll(_ bytes: inout [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = platformWrite(STDERR_FILENO, piece.baseAddress, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
    bytes.removeAll(keepingCapacity: true)
  }
}

/// `write`, which is named like a method here.
private func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
