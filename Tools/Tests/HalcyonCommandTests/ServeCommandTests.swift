import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// `halcyon serve`, with a stand-in for `halcyon-serve`.
@Suite(.integrationTest)
struct ServeCommandTests {
  /// By another process: a test that starts a program meanwhile would inherit the file open for writing, so that it could not
  /// be run.
  private static func copyProgram(to program: URL) async throws {
    let copy = try await CommandRun(URL(filePath: "/bin/cp"), [CommandRun.program().path(), program.path()])
    #expect(copy.status == 0, "\(copy.errors)")
  }

  @Test func `the program beside halcyon is run with all arguments, and its status returned`() async throws {
    try await TemporaryDirectory.run { folder in
      let script = folder.appending(path: "halcyon-serve")
      try Data("#!/bin/sh\necho \"$@\"\nexit 7\n".utf8).write(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
      let program = folder.appending(path: "halcyon")
      try await Self.copyProgram(to: program)
      let run = try await CommandRun(program, ["serve", "--port", "0", "--insecure", "--help"])
      #expect(run.status == 7)
      #expect(run.output == "--port 0 --insecure --help\n")
    }
  }

  @Test func `completions offer formats, files and the flags of the service`() async throws {
    try await TemporaryDirectory.run { folder in
      let script = folder.appending(path: "halcyon-serve")
      try Data("#!/bin/sh\necho 'USAGE: halcyon-serve [--check] [--port PORT]'\n".utf8).write(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
      let program = folder.appending(path: "halcyon")
      try await Self.copyProgram(to: program)
      let flags = try await CommandRun(program, ["---completion", "serve", "--", "positional@0", "2", "0", "--"])
      #expect(flags.output == "--check\n--port\n", "\(flags.output)\(flags.errors)")
      let fish = try await CommandRun(program, ["--generate-completion-script", "fish"])
      let lines = fish.output.split(separator: "\n")
      for (option, completion) in [
        ("\"halcyon convert\" format'", "jpeg"), ("\"halcyon get\" o output'", " -rF"),
        ("\"halcyon sheet\" o output'", " -rF"), ("\"halcyon convert\" files-from'", " -rF"),
      ] {
        #expect(lines.contains { $0.contains(option) && $0.contains(completion) }, "\(option)")
      }
    }
  }

  @Test func `the program is found in PATH, and without it the error says how to install it`() async throws {
    try await TemporaryDirectory.run { folder in
      let program = folder.appending(path: "halcyon")
      try await Self.copyProgram(to: program)
      let run = try await CommandRun(program, ["serve"])
      #expect(run.status == 1)
      #expect(run.errors.contains("make install"))
      let script = folder.appending(path: "bin/halcyon-serve")
      try FileManager.default.createDirectory(at: script.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("#!/bin/sh\necho \"$@\"\n".utf8).write(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
      let command = "PATH=\"$1:$PATH\"; exec \"$0\" serve --check"
      let found = try await CommandRun(
        URL(filePath: "/bin/sh"), ["-c", command, program.path(), folder.path() + "/bin"])
      #expect(found.output == "--check\n", "\(found.errors)")
    }
  }
}
