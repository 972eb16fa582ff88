#if os(Linux)
public import Foundation

/// A server with TLS in a child process: nghttpd, or OpenSSL's, which verifies the certificates of clients.
public struct SecureServer: Sendable {
  /// The server is not installed or does not listen.
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
    let arguments = ["-v", "-a", "127.0.0.1", "-d", folder.path, "0", key.path, certificate.path]
    return try await run(path, arguments, startsWith: "", body)
  }

  /// Whether OpenSSL's program is installed.
  public static var isOpenSSLInstalled: Bool { access(openSSL, X_OK) == 0 }
  private static let openSSL = "/usr/bin/openssl"

  /// Runs `body` with a server that accepts only clients with a certificate of `authority`, and responds with a page about
  /// the connection.
  public static func run<Result>(
    verifyingClientsBy authority: URL, certificate: URL, key: URL, _ body: (SecureServer) async throws -> Result
  ) async throws -> Result {
    let arguments = [
      "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path, "-key", key.path, "-Verify", "1",
      "-verify_return_error", "-CAfile", authority.path, "-www",
    ]
    return try await run(openSSL, arguments, startsWith: "ACCEPT", body)
  }

  /// Runs OpenSSL's program, to make keys and certificates.
  public static func makeCertificates(_ arguments: String...) throws {
    let null = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    let process = try ChildProcess(openSSL, arguments, output: null.fileDescriptor)
    guard process.end() == .exit(0) else { throw Failure() }
  }

  private static func run<Result>(
    _ path: String, _ arguments: [String], startsWith line: String, _ body: (SecureServer) async throws -> Result
  ) async throws -> Result {
    let output = Pipe()
    let process = try ChildProcess(path, arguments, output: output.fileHandleForWriting.fileDescriptor)
    defer {
      process.send(SIGKILL)
      _ = process.end()
    }
    try output.fileHandleForWriting.close()
    await started(output.fileHandleForReading, with: line)
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

  /// Suspends until the output of the server has a text that it writes once it listens; later output is discarded.
  private static func started(_ output: FileHandle, with text: String) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        var written = ""
        repeat {
          let data = output.availableData
          if data.isEmpty { break }
          written += String(decoding: data, as: UTF8.self)
        } while !text.isEmpty && !written.contains(text)
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
