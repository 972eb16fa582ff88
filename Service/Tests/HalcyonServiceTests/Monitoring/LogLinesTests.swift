import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTransport
import Testing

/// What the real program writes to standard error.
@Suite(.integrationTest, .slow)
struct LogLinesTests {
  private static let fixtures = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
    .appending(path: "Tests/HalcyonCodecsTests/Fixtures")
  private static let files = [
    "jxl/gradient-alpha.jxl", "avif/mosaic-1.avif", "heif/gradient-alpha.heic", "formats/alpha.webp",
    "formats/clear.gif",
    "formats/deflate.tiff", "formats/jpeg.tiff", "formats/bits1.bmp", "formats/alpha.tiff.png", "svg/shapes.svg",
    "jpeg/peacock.s1x1-444.jpeg",
  ]

  /// Standard error of a service for a folder, while `body` sends requests to its port.
  private static func lines(
    of folder: URL, _ options: [String] = ["--log-json"], body: (String) async throws -> Void
  ) async throws -> [String] {
    let process = Process()
    process.executableURL = try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "halcyon-serve")
    process.arguments =
      ["--port=0", "--insecure", "--local-root=\(folder.path)", "--cache=\(folder.appending(path: "cache").path)"]
      + options
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let (log, all) = (EventLog<String>(), EventLog<[String]>())
    Thread.detachNewThread {
      var rest = Data()
      var lines: [String] = []
      // It waits for some bytes, not for as many as were asked for.
      while case let piece = errors.fileHandleForReading.availableData, !piece.isEmpty {
        rest += piece
        while let end = rest.firstIndex(of: 10) {
          lines.append(String(decoding: rest[..<end], as: UTF8.self))
          log.record(lines[lines.count - 1])
          rest = rest[(end + 1)...]
        }
      }
      if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
      all.record(lines)
    }
    defer { process.waitUntilExit() }
    do {
      var port: Substring?
      var count = 0
      while port == nil {
        count += 1
        let line = try await log.waitForEvents(count: count)[count - 1]
        port = line.firstMatch(of: /http:\/\/[0-9.]+:([0-9]+)/)?.1
      }
      try await body("http://127.0.0.1:\(try #require(port))")
    } catch {
      process.terminate()
      throw error
    }
    process.terminate()
    return try await all.waitForEvents(count: 1)[0]
  }

  @Test func `each line of a log in JSON is JSON, whatever files are damaged`() async throws {
    try await TemporaryDirectory.run { folder in
      var names: [String] = []
      for path in Self.files {
        let file = try Data(contentsOf: Self.fixtures.appending(path: path))
        for number in 0..<100 {
          var damaged = file
          damaged[12 + number * (file.count - 12) / 100] ^= 0xFF
          names.append("\(number)-\(path.split(separator: "/")[1])")
          try damaged.write(to: folder.appending(path: names[names.count - 1]))
        }
      }
      let transport = CurlTransport()
      let statuses = Monitor<[Int: Int]>([:])
      let lines = try await Self.lines(of: folder) { base in
        for start in stride(from: 0, to: names.count, by: 8) {
          try await withThrowingTaskGroup { group in
            for name in names[start..<min(start + 8, names.count)] {
              group.addTask {
                let url = try #require(URL(string: "\(base)/_/rs:fit:40:40/plain/local:///\(name)@png"))
                let response = try await transport.response(to: TransportRequest(url: url))
                for try await _ in response.body {}
                statuses.update { $0[response.status, default: 0] += 1 }
              }
            }
            try await group.waitForAll()
          }
        }
      }
      #expect(statuses.read { $0.values.reduce(0, +) } == names.count)
      // The others are drawn in spite of their damage.
      #expect(statuses.read { $0.reduce(0) { $0 + ($1.key >= 400 ? $1.value : 0) } } > 100)
      #expect(lines.count > names.count)
      for line in lines {
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        #expect(object is [String: any Sendable], "\(line)")
      }
    }
  }
}
