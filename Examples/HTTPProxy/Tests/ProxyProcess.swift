import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import HalcyonTestSupport
import Testing

/// The real proxy in its own process, and a client for it.
struct ProxyProcess {
  /// A response received through the proxy.
  struct Response {
    let status: Int
    let body: String
    fileprivate let headers: HTTPHeaders

    var cacheStatus: String? { self["Cache-Status"] }

    subscript(field: String) -> String? { headers.first(name: field) }
  }

  private let process: Process
  private let baseURL: String

  /// Runs `body` with a proxy that is listening, then terminates it with a signal and expects exit status 0.
  static func run(to origin: URL, _ options: [String] = [], body: (ProxyProcess) async throws -> Void) async throws {
    let proxy = try await ProxyProcess(origin: origin, options: options)
    do {
      try await body(proxy)
    } catch {
      _ = proxy.end()
      throw error
    }
    let status = proxy.end()
    #expect(status == 0)
  }

  private init(origin: URL, options: [String]) async throws {
    process = try Self.process(["--origin", origin.absoluteString, "--port", "0"] + options)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = try await Self.firstLine(of: output)
    baseURL = try #require(line.split(separator: " ").last.map(String.init))
  }

  /// The port on which the proxy listens.
  var port: String { String(baseURL.split(separator: ":").last ?? "") }

  /// Sends a request through the proxy and reads the whole response.
  func send(
    _ path: String, method: String = "GET", headers: [String: String] = [:], body: String? = nil
  ) async throws -> Response {
    var request = HTTPClientRequest(url: baseURL + path)
    request.method = HTTPMethod(rawValue: method)
    request.headers = HTTPHeaders(headers.map { ($0.key, $0.value) })
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    let bytes = try await response.body.collect(upTo: 1 << 20)
    return Response(status: Int(response.status.code), body: String(buffer: bytes), headers: response.headers)
  }

  private func end() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs the proxy until it exits; the exit status and the standard error.
  static func result(_ arguments: [String]) async throws -> (status: Int32, errors: String) {
    let process = try process(arguments)
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let log = EventLog<String>()
    Thread.detachNewThread {
      log.record(String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
    let text = try await log.waitForEvents(count: 1)[0]
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// The program is in the same folder as the test runner.
  private static func process(_ arguments: [String]) throws -> Process {
    let tests = try #require(Bundle.main.executableURL)
    let process = Process()
    process.executableURL =
      tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "halcyon-http-proxy")
    process.arguments = arguments
    return process
  }

  private static func firstLine(of pipe: Pipe) async throws -> String {
    let log = EventLog<String>()
    Thread.detachNewThread {
      var line = Data()
      while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), byte.first ?? 10 != 10 { line += byte }
      log.record(String(decoding: line, as: UTF8.self))
    }
    return try await log.waitForEvents(count: 1)[0]
  }
}
