#if GTK
import Foundation
import Testing
import HalcyonTestSupport

/// The display of one process: an Xvfb server's, or with `HALCYON_DISPLAY=wayland` a Weston compositor's, which draws
/// nothing.
struct VirtualDisplay {
  static let isWayland = ProcessInfo.processInfo.environment["HALCYON_DISPLAY"] == "wayland"

  /// The variables by which GTK finds the display.
  let environment: [String]
  private let server: Server
  private let files: [String]

  /// Starts a server.
  ///
  /// - Parameter scale: Device pixels per point.
  init(scale: Int) throws { self = try Self.isWayland ? Self.weston(scale) : Self.xvfb(scale) }

  private init(_ environment: [String], _ server: Server, files: [String]) {
    (self.environment, self.server, self.files) = (environment, server, files)
  }

  /// Ends the server by SIGKILL: Swift's threads block other signals, and child processes inherit that.
  func stop() {
    server.process.send(SIGKILL)
    _ = server.process.end()
    for file in files { try? FileManager.default.removeItem(atPath: file) }
  }

  private static func xvfb(_ scale: Int) throws -> VirtualDisplay {
    let server = try Server("exec Xvfb -displayfd 1 -screen 0 1280x1024x24 -nolisten tcp 2>/dev/null")
    let number = try server.wait(for: "\n").filter(\.isNumber)
    return VirtualDisplay(
      ["GDK_BACKEND=x11", "GDK_SCALE=\(scale)", "DISPLAY=:\(number)"], server,
      files: ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"])
  }

  private static func weston(_ scale: Int) throws -> VirtualDisplay {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let variables = ["XDG_RUNTIME_DIR=\(folder)", "WAYLAND_DISPLAY=halcyon"]
    let server = try Server(
      "exec env XDG_RUNTIME_DIR=\(folder) weston --backend=headless-backend.so --no-config --idle-time=0 "
        + "--width=1280 --height=1024 --scale=\(scale) --socket=halcyon")
    // Started once the compositor has its socket.
    _ = try server.wait(for: "weston-desktop-shell")
    return VirtualDisplay(["GDK_BACKEND=wayland"] + variables, server, files: [folder])
  }

  /// A server and the pipe that it writes to.
  private struct Server {
    let process: ChildProcess
    private let handle: FileHandle

    init(_ command: String) throws {
      var pipe: (read: Int32, write: Int32) = (0, 0)
      try withUnsafeMutableBytes(of: &pipe) { bytes in
        guard Glibc.pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress) == 0 else { throw POSIXError(.EMFILE) }
      }
      handle = FileHandle(fileDescriptor: pipe.read, closeOnDealloc: true)
      defer { close(pipe.write) }
      process = try ChildProcess("/bin/sh", ["-c", command], output: pipe.write)
    }

    /// Waits until the server has written a text.
    ///
    /// - Returns: All that it has written.
    func wait(for text: String) throws -> String {
      var output = ""
      while !output.contains(text) {
        let data = handle.availableData
        guard !data.isEmpty else { throw Scene.Failure(description: "the display server has ended: \(output)") }
        output += String(decoding: data, as: UTF8.self)
      }
      return output
    }
  }
}
#endif
