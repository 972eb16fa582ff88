#if os(Linux)
import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct InterruptionTests {
  /// Serves the photo and ranges of it; the whole photo stops after 60,000 bytes.
  private func serve(_ photo: Data, on server: ImageServer, until gate: Gate) -> String {
    server.serve("/a.jpg") { request in
      var fields: HeaderFields = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
      guard let first = request.headers["Range"].flatMap({ Int($0.dropFirst("bytes=".count).dropLast()) }) else {
        return .body(photo, headers: fields).held(by: gate, at: .body(60_000))
      }
      fields.add("Content-Range", "bytes \(first)-\(photo.count - 1)/\(photo.count)")
      return .status(206, headers: fields, body: Data(photo.dropFirst(first)))
    }.absoluteString
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal keeps what has been downloaded, and the next run resumes there`(signal: Int32) async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = serve(photo, on: server, until: Gate())
      let run = try TerminalRun("get", url, "--cache-dir", folder.path() + "/c")
      try await run.waitForText("53 % 60 KB")
      run.send(signal)
      let end = try await run.end()
      #expect(end.status == 128 + signal)
      #expect(end.text.hasSuffix("53 % 60 KB\r\n"), "the prompt begins on a new line: \(end.text)")

      let file = folder.appending(path: "a.jpg")
      let next = try await CommandRun("get", url, "-o", file.path(), "--cache-dir", folder.path() + "/c")
      #expect(next.status == 0, "\(next.errors)")
      #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=60000-"])
      #expect(try Data(contentsOf: file) == photo)
    }
  }

  @Test func `a signal ends the examination of images without a message`() async throws {
    try await withOrigin { server, folder in
      let gate = Gate()
      let url = serve(try Photos.data("rocket.jpg"), on: server, until: gate)
      let run = try TerminalRun("info", url, url, "--cache-dir", folder.path() + "/c")
      try await gate.waitUntilHolding()
      run.send(SIGINT)
      let end = try await run.end()
      #expect(end.status == 130)
      #expect(end.text == "")
    }
  }

  @Test func `without a signal the progress bar is cleared`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"))).absoluteString
      let end = try await TerminalRun("get", url, "--cache-dir", folder.path() + "/c").end()
      #expect(end.status == 0)
      #expect(end.text.contains("100 %"))
      #expect(end.text.hasSuffix("\r\u{1B}[K"))
    }
  }
}
#endif
