#if GTK
import Foundation
import TestSupport

/// An X server without a screen, for one program.
struct Display {
  private let server: ChildProcess
  /// What programs find in `DISPLAY`.
  let name: String

  /// Starts one on a number that is free.
  init() throws {
    var pipe: (read: Int32, write: Int32) = (0, 0)
    try withUnsafeMutableBytes(of: &pipe) { bytes in
      guard Glibc.pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress) == 0 else { throw POSIXError(.EMFILE) }
    }
    let output = FileHandle(fileDescriptor: pipe.read, closeOnDealloc: true)
    defer { close(pipe.write) }
    server = try ChildProcess(
      "/bin/sh", ["-c", "exec Xvfb -displayfd 1 -screen 0 1280x1024x24 -nolisten tcp 2>/dev/null"], output: pipe.write)
    let number = String(decoding: output.availableData, as: UTF8.self).filter(\.isNumber)
    name = ":\(number)"
  }

  /// Ends it.
  func stop() {
    server.send(SIGTERM)
    _ = server.end()
  }
}
#endif
