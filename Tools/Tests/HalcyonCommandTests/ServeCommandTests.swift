import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// `halcyon serve`, with a stand-in for `halcyon-serve`.
@Suite(.integrationTest)
struct ServeCommandTests {
  @Test func `the program beside halcyon is run with all arguments, and its status returned`() async throws {
    try await TemporaryDirectory.run { folder in
      let script = folder.appending(path: "halcyon-serve")
      try Data("#!/bin/sh\necho \"$@\"\nexit 7\n".utf8).write(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
      let program = folder.appending(path: "halcyon")
      try FileManager.default.copyItem(at: try CommandRun.program(), to: program)
      let run = try await CommandRun(program, ["serve", "--port", "0", "--insecure", "--help"])
      #expect(run.status == 7)
      #expect(run.output == "--port 0 --insecure --help\n")
    }
  }

  @Test func `without the program the error says how to install it`() async throws {
    try await TemporaryDirectory.run { folder in
      let program = folder.appending(path: "halcyon")
      try FileManager.default.copyItem(at: try CommandRun.program(), to: program)
      let run = try await CommandRun(program, ["serve"])
      #expect(run.status == 1)
      #expect(run.errors.contains("make install"))
    }
  }
}
