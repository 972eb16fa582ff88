import Foundation

/// A failed system call on a socket.
public struct SocketError: Error, CustomStringConvertible {
  public let call: String
  public let code: Int32

  /// Creates an error with the current `errno`: call right after the system call.
  init(_ call: String) {
    self.call = call
    code = errno
  }

  public var description: String { "\(call) failed: \(String(cString: strerror(code)))." }
}
