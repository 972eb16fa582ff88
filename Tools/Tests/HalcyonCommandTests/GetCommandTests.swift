import Foundation
import TestSupport
import Testing

struct GetCommandTests {
  @Test func `a second process finds on disk what the first one fetched`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let cache = folder.path(percentEncoded: false) + "/cache"
      let picture = folder.path(percentEncoded: false) + "/small.png"
      let first = try await CommandRun("get", url, "--size", "200x", "-o", picture, "--cache-dir", cache)
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output.hasPrefix("jpeg 200x133 from 640x427, network, "))
      #expect(try Data(contentsOf: URL(filePath: picture)).starts(with: [0x89, 0x50, 0x4E, 0x47]))

      let second = try await CommandRun("get", url, "--size", "200x", "--json", "--cache-dir", cache)
      let report = try #require(try second.objects().first)
      #expect(report["origin"] as? String == "store")
      #expect(report["width"] as? Int == 200)
      #expect(report["encodedBytes"] as? Int == 112_525)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `an image that is not changed keeps its bytes`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("retina.jpg")
      let file = folder.appending(path: "copy.jpg")
      let run = try await CommandRun(
        "get", server.serve("/a", .body(photo)).absoluteString, "-o", file.path(), "--cache-dir", folder.path() + "/c")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try Data(contentsOf: file) == photo)
    }
  }

  @Test(arguments: [["--size", "0x5"], ["--size", "big"], ["--size", "x"], ["-o", "a.gif"], []])
  func `wrong arguments say what is right`(arguments: [String]) async throws {
    let all = arguments.isEmpty ? [] : ["http://127.0.0.1:1/a.jpg"] + arguments
    let run = try await CommandRun(["get"] + all)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("Usage: halcyon get"))
  }

  @Test func `a failure names the address and leaves no file`() async throws {
    try await withOrigin { server, folder in
      let file = folder.appending(path: "a.png").path()
      let url = server.serve("/gone.jpg", .status(410)).absoluteString
      let run = try await CommandRun("get", url, "-o", file, "--cache-dir", folder.path() + "/c")
      #expect(run.status == 1)
      #expect(run.errors.contains("\(url) answered HTTP 410."))
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }
}

/// A server and an empty folder for one test.
func withOrigin<Result>(_ body: (ImageServer, URL) async throws -> Result) async throws -> Result {
  try await TemporaryDirectory.run { folder in
    try await ImageServer.run { server in try await body(server, folder) }
  }
}
