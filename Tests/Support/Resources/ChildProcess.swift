import Foundation

/// A child process that a test starts.
///
/// Foundation's `Process` leaks memory on Linux, which the address sanitizer would report as a failure of the test.
public struct ChildProcess: Sendable {
  /// How a process ended.
  public enum End: Hashable, Sendable {
    /// It exited with a status.
    case exit(Int32)
    /// A signal terminated it.
    case signal(Int32)
  }

  let id: pid_t

  /// Starts a program, which inherits the environment and standard input.
  ///
  /// - Parameter output: The descriptor for its standard output and error; `nil` inherits this process's.
  public init(_ path: String, _ arguments: [String], output: Int32? = nil) throws {
    var id: pid_t = 0
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for target in output == nil ? [] : [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, output ?? target, target)
    }
    let texts: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    let code = posix_spawn(&id, path, &actions, nil, texts, environ)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.id = id
  }

  /// Sends a signal to the process.
  public func send(_ signal: Int32) { kill(id, signal) }

  /// Suspends until the process has ended; call once. A thread waits for it, not one of the tasks' threads.
  public func ended() async -> End {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: end()) }.start()
    }
  }

  /// Blocks until the process has ended; call once.
  public func end() -> End {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }
}
