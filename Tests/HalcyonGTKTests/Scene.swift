#if GTK
import Foundation
import Testing
import HalcyonTestSupport

/// Runs a scene of `halcyon-gtk-scenes` in its own process, on its own display.
struct Scene {
  /// Makes rendering the same on every machine: Cairo renderer, fixed theme, no settings, no D-Bus.
  private static let environment = [
    "GSK_RENDERER=cairo", "GSETTINGS_BACKEND=memory", "GTK_THEME=Adwaita",
    "DBUS_SESSION_BUS_ADDRESS=disabled:", "LC_ALL=C.UTF-8",
    // A critical message is a fault of the library: the scene ends, as under the tests of GNOME's programs.
    "G_DEBUG=fatal-criticals",
    // Fontconfig leaks some bytes, and the leak checker does not work under strace. Scenes check for leaks themselves.
    "ASAN_OPTIONS=detect_leaks=0",
  ]

  /// Runs a scene.
  ///
  /// - Parameters:
  ///   - scale: Device pixels per point.
  ///   - accessibility: The value of `GTK_A11Y`.
  /// - Throws: The reason why it failed.
  static func play(_ name: String, scale: Int = 1, accessibility: String = "none") async throws {
    try await run(["GTK_A11Y=\(accessibility)"], name, scale: scale)
  }

  /// Runs a scene under strace.
  ///
  /// - Returns: The given system calls of its main thread, with the paths of file descriptors.
  static func traceMainThread(_ name: String, calls: [String]) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-trace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // One file per thread; the main thread begins with the program.
    try await run(
      [
        "GTK_A11Y=none", "strace", "-ff", "-y", "-e", "trace=execve," + calls.joined(separator: ","), "-o",
        folder.appending(path: "trace").path(),
      ], name)
    let threads = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .map { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n").map(String.init) }
    guard
      let main = threads.first(where: { $0.first?.contains("execve(") == true && $0[0].contains("halcyon-gtk-scenes") })
    else { throw Failure(description: "strace wrote no output") }
    return main
  }

  /// The reason why a scene has failed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static func run(_ wrapper: [String], _ name: String, scale: Int = 1) async throws {
    let display = try VirtualDisplay(scale: scale)
    defer { display.stop() }
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-gtk-scenes")
    let output = FileManager.default.temporaryDirectory.appending(path: "halcyon-scene-\(UUID().uuidString)")
    let descriptor = open(output.path(), O_RDWR | O_CREAT, 0o600)
    defer { unlink(output.path()) }
    let child = try ChildProcess(
      "/usr/bin/env", environment + display.environment + wrapper + [program.path(), name], output: descriptor)
    let end = await child.ended()
    lseek(descriptor, 0, SEEK_SET)
    let message = String(
      decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile(), as: UTF8.self)
    guard end == .exit(0) else { throw Failure(description: "\(name) ended with \(end): \(message)") }
  }
}
#endif
