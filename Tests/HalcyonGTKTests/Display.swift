#if GTK
import Foundation
import TestSupport

/// An X server without a screen, for one program.
struct Display {
  private let server: ChildProcess
  private let number: String

  /// What programs find in `DISPLAY`.
  var name: String { ":\(number)" }

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
    number = String(decoding: output.availableData, as: UTF8.self).filter(\.isNumber)
  }

  /// Ends it, by the one signal that threads of Swift's do not block for the programs that they start.
  func stop() {
    server.send(SIGKILL)
    _ = server.end()
    for file in ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"] { unlink(file) }
  }
}
#endif
