import Foundation

/// A system call on a socket or pipe that failed.
package struct SocketError: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  /// Takes the code from `errno`: create it right after the call.
  init(_ call: String) {
    self.call = call
    code = errno
  }

  package var description: String { "\(call) failed: \(String(cString: strerror(code)))." }
}
