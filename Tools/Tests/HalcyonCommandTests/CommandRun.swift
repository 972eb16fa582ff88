import Foundation
import Synchronization
import HalcyonTestSupport
import Testing

/// One run of the real program in its own process.
struct CommandRun {
  let status: Int32
  let output: String
  let errors: String

  /// Runs `halcyon` until it exits.
  init(_ arguments: String...) async throws {
    try await self.init(arguments)
  }

  /// Runs `halcyon` until it exits.
  init(_ arguments: [String]) async throws {
    try await self.init(try Self.program(), arguments)
  }

  /// Runs a program until it exits.
  init(_ program: URL, _ arguments: [String]) async throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    async let outputText = Self.read(output)
    async let errorText = Self.read(errors)
    (self.output, self.errors) = try await (outputText, errorText)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  /// The lines of the output as JSON objects.
  func objects() throws -> [[String: any Sendable]] {
    try output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable])
    }
  }

  /// The program is in the same folder as the test runner.
  static func program() throws -> URL {
    let tests = try #require(Bundle.main.executableURL)
    return tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "halcyon")
  }

  private static func read(_ pipe: Pipe) async throws -> String {
    let result = EventLog<String>()
    Thread.detachNewThread {
      result.record(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
    return try await result.waitForEvents(count: 1)[0]
  }
}

/// A server and an empty folder for one test.
func withOrigin<Result>(_ body: (ImageServer, URL) async throws -> Result) async throws -> Result {
  try await TemporaryDirectory.run { folder in
    try await ImageServer.run { server in try await body(server, folder) }
  }
}
