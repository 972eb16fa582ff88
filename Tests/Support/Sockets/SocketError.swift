import Foundation

/// A failed system call on a socket.
package struct SocketError: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  /// Creates an error with the current `errno`: call right after the system call.
  init(_ call: String) {
    self.call = call
    code = errno
  }

  package var description: String { "\(call) failed: \(String(cString: strerror(code)))." }
}
