import Foundation

/// Another program that a test starts.
///
/// Foundation's `Process` leaks on Linux, which the address sanitizer takes for an error of the test.
public struct ChildProcess: Sendable {
  /// How a program ended.
  public enum End: Hashable, Sendable {
    /// It returned a status.
    case exit(Int32)
    /// A signal ended it.
    case signal(Int32)
  }

  let id: pid_t

  /// Starts a program with this environment and input.
  ///
  /// - Parameter output: Where it writes what it says and its errors; `nil` for where this process does.
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

  /// Sends a signal.
  public func send(_ signal: Int32) { kill(id, signal) }

  /// Blocks until it has ended. To be called once.
  public func end() -> End {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }
}
