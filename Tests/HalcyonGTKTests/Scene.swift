#if GTK
import Foundation
import Testing
import TestSupport

/// Runs a scene of `halcyon-gtk-scenes` in its own process, on its own X server.
struct Scene {
  /// Makes rendering the same on every machine: Cairo renderer, fixed theme, no settings, no D-Bus.
  private static let environment = [
    "GDK_BACKEND=x11", "GSK_RENDERER=cairo", "GSETTINGS_BACKEND=memory",
    "GTK_THEME=Adwaita",
    "DBUS_SESSION_BUS_ADDRESS=disabled:", "LC_ALL=C.UTF-8",
    // Fontconfig leaks some bytes, and the leak checker does not work under strace. Scenes check for leaks themselves.
    "ASAN_OPTIONS=detect_leaks=0",
  ]

  /// Runs a scene.
  ///
  /// - Parameters:
  ///   - scale: Device pixels per point.
  ///   - accessibility: The value of `GTK_A11Y`.
  /// - Returns: The reason why it failed, or an empty string.
  static func play(_ name: String, scale: Int = 1, accessibility: String = "none") async throws -> String {
    try await run(["GDK_SCALE=\(scale)", "GTK_A11Y=\(accessibility)"], name)
  }

  /// Runs a scene under strace.
  ///
  /// - Returns: The given system calls of its main thread, with the paths of file descriptors.
  static func traceMainThread(_ name: String, calls: [String]) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-trace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let prefix = folder.appending(path: "trace").path()
    // One file per thread, with the thread's id as extension; the main thread has the lowest id.
    let failure = try await run(
      ["GTK_A11Y=none", "strace", "-ff", "-y", "-e", "trace=" + calls.joined(separator: ","), "-o", prefix], name)
    guard failure.isEmpty else { throw Failure(description: failure) }
    let threads = try FileManager.default.contentsOfDirectory(atPath: folder.path())
      .compactMap { Int($0.split(separator: ".").last ?? "") }
    guard let main = threads.min() else { throw Failure(description: "strace wrote no output") }
    return try String(contentsOfFile: "\(prefix).\(main)", encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// The reason why a trace could not be made.
  struct Failure: Error {
    let description: String
  }

  private static func run(_ wrapper: [String], _ name: String) async throws -> String {
    let display = try VirtualDisplay()
    defer { display.stop() }
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-gtk-scenes")
    let output = FileManager.default.temporaryDirectory.appending(path: "halcyon-scene-\(UUID().uuidString)")
    let descriptor = open(output.path(), O_RDWR | O_CREAT, 0o600)
    defer { unlink(output.path()) }
    let child = try ChildProcess(
      "/usr/bin/env", environment + ["DISPLAY=\(display.name)"] + wrapper + [program.path(), name], output: descriptor)
    let end = await child.ended()
    lseek(descriptor, 0, SEEK_SET)
    let message = String(
      decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile(), as: UTF8.self)
    return end == .exit(0) ? "" : "\(name) ended with \(end): \(message)"
  }
}

/// An Xvfb server for one process.
private struct VirtualDisplay {
  private let server: ChildProcess
  private let number: String

  /// The value of `DISPLAY`.
  var name: String { ":\(number)" }

  /// Starts a server on a free display number.
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

  /// Ends the server by SIGKILL: Swift's threads block other signals, and child processes inherit that.
  func stop() {
    server.send(SIGKILL)
    _ = server.end()
    for file in ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"] { unlink(file) }
  }
}
#endif
