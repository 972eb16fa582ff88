import Foundation

/// A memcached server on a free port of the loopback interface, which a test can stop and start again.
public final class MemcachedProcess: Sendable {
  /// memcached is not installed or does not listen.
  public struct Failure: Error {}

  /// Whether memcached is installed.
  public static var isInstalled: Bool { path != nil }

  private static var path: String? { paths.first { access($0, X_OK) == 0 } }
  private static let paths = ["/usr/bin/memcached", "/usr/local/bin/memcached"]

  /// The port on 127.0.0.1, the same after a restart.
  public let port: UInt16
  private let process = Monitor<ChildProcess?>(nil)

  private init() throws { port = try Socket.bound().port }

  /// Runs `body` with servers, and stops them afterwards.
  public static func run<Result>(
    _ count: Int = 1, _ body: ([MemcachedProcess]) async throws -> Result
  ) async throws -> Result {
    var servers: [MemcachedProcess] = []
    defer { for server in servers { server.stop() } }
    for _ in 0..<count {
      let server = try MemcachedProcess()
      servers.append(server)
      try await server.start()
    }
    return try await body(servers)
  }

  /// Starts the server, empty, and returns once it listens.
  public func start() async throws {
    guard let path = Self.path else { throw Failure() }
    let output = Pipe()
    let child = try ChildProcess(
      path, ["-u", "nobody", "-l", "127.0.0.1", "-p", "\(port)", "-U", "0", "-m", "64", "-vv"],
      output: output.fileHandleForWriting.fileDescriptor)
    process.update { $0 = child }
    try output.fileHandleForWriting.close()
    try await Self.waitUntilListening(output.fileHandleForReading)
  }

  /// Kills the server, which loses its entries.
  public func stop() {
    let child = process.update { process in
      defer { process = nil }
      return process
    }
    child?.send(SIGKILL)
    _ = child?.end()
  }

  /// Stops the server's reactions, but not its connections.
  public func freeze() { process.read { $0 }?.send(SIGSTOP) }

  /// Ends ``freeze()``.
  public func thaw() { process.read { $0 }?.send(SIGCONT) }

  private static func waitUntilListening(_ output: FileHandle) async throws {
    let isListening = await withCheckedContinuation { continuation in
      Thread {
        var text = Data()
        var waiting: CheckedContinuation<Bool, Never>? = continuation
        while true {
          let piece = output.availableData
          if waiting != nil { text += piece }
          if piece.isEmpty || text.range(of: Data("server listening".utf8)) != nil {
            waiting?.resume(returning: !piece.isEmpty)
            waiting = nil
          }
          if piece.isEmpty { return }
        }
      }.start()
    }
    guard isListening else { throw Failure() }
  }
}
