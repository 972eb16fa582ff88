#if os(Linux)
public import Foundation

/// A file server with TLS and HTTP/2: nghttpd, in a child process.
public struct SecureServer: Sendable {
  /// nghttpd is not installed or does not listen.
  public struct Failure: Error {}

  /// The port on 127.0.0.1, chosen among the free ones.
  public let port: UInt16

  private static let paths = ["/usr/sbin/nghttpd", "/usr/bin/nghttpd", "/usr/local/bin/nghttpd"]
  private static var path: String? { paths.first { access($0, X_OK) == 0 } }

  /// Whether nghttpd is installed; the Debian package is nghttp2-server.
  public static var isInstalled: Bool { path != nil }

  /// Runs `body` with a server for the files in `folder`, and ends its process afterwards.
  ///
  /// - Parameters:
  ///   - certificate: A certificate file in PEM format.
  ///   - key: The file with its private key.
  public static func run<Result>(
    folder: URL, certificate: URL, key: URL, _ body: (SecureServer) async throws -> Result
  ) async throws -> Result {
    guard let path else { throw Failure() }
    let output = Pipe()
    let arguments = ["-v", "-a", "127.0.0.1", "-d", folder.path, "0", key.path, certificate.path]
    let process = try ChildProcess(path, arguments, output: output.fileHandleForWriting.fileDescriptor)
    defer {
      process.send(SIGKILL)
      _ = process.end()
    }
    try output.fileHandleForWriting.close()
    await started(output.fileHandleForReading)
    guard let port = try process.listeningPort() else { throw Failure() }
    return try await body(SecureServer(port: port))
  }

  /// The URL of a file.
  public func url(_ path: String, host: String = "127.0.0.1") -> URL {
    guard let url = URL(string: "https://\(host):\(port)/\(path)") else {
      preconditionFailure("“\(path)” is not a valid URL path")
    }
    return url
  }

  /// Suspends until the first output of the server, which it writes once it listens; later output is discarded.
  private static func started(_ output: FileHandle) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        _ = output.availableData
        continuation.resume()
        while !output.availableData.isEmpty {}
      }
      thread.start()
    }
  }
}

extension ChildProcess {
  /// The port of the first listening socket of the process.
  fileprivate func listeningPort() throws -> UInt16? {
    let folder = "/proc/\(id)/fd"
    let sockets = try FileManager.default.contentsOfDirectory(atPath: folder)
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    guard let table = FileHandle(forReadingAtPath: "/proc/\(id)/net/tcp") else { return nil }
    defer { try? table.close() }
    let text = String(decoding: try table.readToEnd() ?? Data(), as: UTF8.self)
    for line in text.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: " ")
      // 0A means listening. The tenth column is the inode of the socket.
      guard columns.count > 9, columns[3] == "0A", sockets.contains("socket:[\(columns[9])]") else { continue }
      return columns[1].split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
    return nil
  }
}
#endif
