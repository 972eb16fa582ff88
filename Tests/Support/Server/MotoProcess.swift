import Foundation

/// S3-compatible storage on a free port of the loopback interface: moto's server, in a child process.
public struct MotoProcess: Sendable {
  /// moto is not installed or does not listen.
  public struct Failure: Error {
    public init() {}
  }

  /// The port on 127.0.0.1.
  public let port: UInt16

  /// Whether `moto_server` is installed (Python package `moto[server]`).
  public static var isInstalled: Bool { path != nil }

  private static var path: String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/moto_server" }
      .first { access($0, X_OK) == 0 }
  }

  /// Runs `body` with a server that lists at most three keys at once, and ends its process afterwards.
  public static func run<Result>(_ body: (MotoProcess) async throws -> Result) async throws -> Result {
    guard let path else { throw Failure() }
    let output = Pipe()
    let process = try ChildProcess(
      "/usr/bin/env", ["MOTO_S3_DEFAULT_MAX_KEYS=3", "PYTHONUNBUFFERED=1", path, "-H", "127.0.0.1", "-p", "0"],
      output: output.fileHandleForWriting.fileDescriptor)
    defer {
      process.send(SIGKILL)
      _ = process.end()
    }
    try output.fileHandleForWriting.close()
    return try await body(MotoProcess(port: try await port(output.fileHandleForReading)))
  }

  /// The port in the line with which the server reports that it listens; later output is discarded.
  private static func port(_ output: FileHandle) async throws -> UInt16 {
    let port = await withCheckedContinuation { continuation in
      Thread {
        var text = ""
        var waiting: CheckedContinuation<UInt16?, Never>? = continuation
        while true {
          let piece = output.availableData
          if waiting != nil { text += String(decoding: piece, as: UTF8.self) }
          let line = text.split(separator: "\n").first { $0.contains("Running on http://") && text.hasSuffix("\n") }
          if piece.isEmpty || line != nil {
            waiting?.resume(returning: line.flatMap { $0.split(separator: ":").last.flatMap { UInt16($0) } })
            waiting = nil
          }
          if piece.isEmpty { return }
        }
      }.start()
    }
    guard let port else { throw Failure() }
    return port
  }
}
