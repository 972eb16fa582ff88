import Foundation
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The program of the packages, which is the command line and the service.
@Suite(.integrationTest)
struct ProgramNameTests {
  @Test(arguments: [
    ("halcyon-serve", [], "halcyon-serve \(HalcyonVersion.current)\n"), ("halcyon", [], "\(HalcyonVersion.current)\n"),
    ("halcyon", ["serve"], "halcyon-serve \(HalcyonVersion.current)\n"),
  ])
  func `the name under which the program is started decides what it is`(
    name: String, command: [String], version: String
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let tests = try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
      let (link, output) = (folder.appending(path: name), folder.appending(path: "output"))
      try FileManager.default.createSymbolicLink(
        at: link, withDestinationURL: tests.deletingLastPathComponent().appending(path: "halcyon-serve"))
      try Data().write(to: output)
      let file = try FileHandle(forWritingTo: output)
      let process = try ChildProcess(link.path, command + ["--version"], output: file.fileDescriptor)
      #expect(await process.ended() == .exit(0))
      #expect(try String(contentsOf: output, encoding: .utf8) == version)
      // A wrong command has the same status under each name.
      let wrong = try ChildProcess(link.path, command + ["--port", "x"], output: file.fileDescriptor)
      #expect(await wrong.ended() == .exit(64))
    }
  }
}
