import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct StandardOutputTests {
  private static let shell = URL(filePath: "/bin/sh")

  #if os(Linux)
  @Test(arguments: [">/dev/full", ">&-"])
  func `results that cannot be written are an error`(redirection: String) async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let (photo, cache) = (sources.path() + "a.jpg", output.path() + "cache")
      try await withOrigin { server, _ in
        let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
        for arguments in [
          ["formats"], ["get", url, "--json", "-d", cache], ["cache", "ls", "--json", "-d", cache],
          ["info", photo, "--json", "-d", cache], ["compare", photo, photo, "--json", "-d", cache],
          ["convert", photo, "-o", output.path(), "--json"], ["--help"],
        ] {
          let run = try await CommandRun(
            Self.shell, ["-c", "exec \"$0\" \"$@\" \(redirection)", try CommandRun.program().path()] + arguments)
          #expect(run.status == 1, "\(arguments)")
          #expect(run.errors.hasPrefix("Error: standard output cannot be written: "), "\(arguments): \(run.errors)")
          #expect(run.errors.split(separator: "\n").count == 1, "\(arguments): \(run.errors)")
        }
      }
    }
  }
  #endif

  @Test(arguments: [(":", 128 + SIGPIPE), ("trap '' PIPE", 0)])
  func `a pipe without a reader is no error that is printed`(command: String, status: Int32) async throws {
    try await TemporaryDirectory.run { folder in
      let script = "mkfifo \"$1\"; : < \"$1\" & exec 4> \"$1\"; wait; \(command); \"$0\" formats >&4; echo $?"
      let run = try await CommandRun(
        Self.shell, ["-c", script, try CommandRun.program().path(), folder.path() + "/pipe"])
      #expect(run.output == "\(status)\n")
      #expect(run.errors.isEmpty, "\(run.errors)")
    }
  }
}
