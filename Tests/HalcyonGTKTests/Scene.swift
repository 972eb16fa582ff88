#if GTK
import Foundation
import Testing
import TestSupport

/// A scene of `halcyon-gtk-scenes`, played in a process and on a display of its own.
struct Scene {
  /// The same picture on every machine: drawn by Cairo, at one pixel a point, without settings or a bus.
  private static let environment = [
    "GDK_BACKEND=x11", "GSK_RENDERER=cairo", "GTK_A11Y=none", "GSETTINGS_BACKEND=memory",
    "GTK_THEME=Adwaita",
    "DBUS_SESSION_BUS_ADDRESS=disabled:", "LC_ALL=C.UTF-8",
    // Fontconfig loses some bytes, and the leak checker does not work below strace. Scenes count what is left themselves.
    "ASAN_OPTIONS=detect_leaks=0",
  ]

  /// Plays a scene to its end.
  ///
  /// - Parameter scale: Pixels of the screen a point.
  /// - Returns: Why its claim does not hold; empty when it does.
  static func play(_ name: String, scale: Int = 1) throws -> String {
    try run(["GDK_SCALE=\(scale)"], name)
  }

  /// Plays a scene, and lists some system calls of its main thread, with the files behind descriptors.
  static func traceMainThread(_ name: String, calls: [String]) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-trace-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let prefix = folder.appending(path: "trace").path()
    // A file for each thread, named after its number; that of the main thread is the lowest.
    let end = try run(["strace", "-ff", "-y", "-e", "trace=" + calls.joined(separator: ","), "-o", prefix], name)
    guard end.isEmpty else { throw Failure(description: end) }
    let threads = try FileManager.default.contentsOfDirectory(atPath: folder.path())
      .compactMap { Int($0.split(separator: ".").last ?? "") }
    guard let main = threads.min() else { throw Failure(description: "strace wrote nothing") }
    return try String(contentsOfFile: "\(prefix).\(main)", encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Why a scene could not be looked at.
  struct Failure: Error {
    let description: String
  }

  private static func run(_ wrapper: [String], _ name: String) throws -> String {
    let display = try Display()
    defer { display.stop() }
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-gtk-scenes")
    let output = FileManager.default.temporaryDirectory.appending(path: "halcyon-scene-\(UUID().uuidString)")
    let descriptor = open(output.path(), O_RDWR | O_CREAT, 0o600)
    defer { unlink(output.path()) }
    let child = try ChildProcess(
      "/usr/bin/env", environment + ["DISPLAY=\(display.name)"] + wrapper + [program.path(), name], output: descriptor)
    let end = child.end()
    lseek(descriptor, 0, SEEK_SET)
    let said = String(
      decoding: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile(), as: UTF8.self)
    return end == .exit(0) ? "" : "\(name) ended with \(end): \(said)"
  }
}
#endif
