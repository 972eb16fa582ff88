import Foundation
import HalcyonService
import Logging
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct LineLogHandlerTests {
  @Test func `lines without a reader are dropped, and the process goes on`() async {
    await #expect(processExitsWith: .success) {
      // As NIO does, for the whole process.
      signal(SIGPIPE, SIG_IGN)
      let log = Logger(label: "test") { LineLogHandler(label: $0, isJSON: true) }
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      dup2(ends[1], STDERR_FILENO)
      close(ends[1])
      close(ends[0])
      log.error("the reader of the pipe has ended")
      close(STDERR_FILENO)
      log.error("standard error is closed")
    }
  }

  @Test func `a line is one JSON object, with numbers as numbers`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      var log = Logger(label: "a \"label\"") { LineLogHandler(label: $0, isJSON: true) }
      log[metadataKey: "always"] = "x"
      let metadata: Logger.Metadata = [
        "status": .stringConvertible(502), "ms": .stringConvertible(1.25), "path": "a\n\"b\"\\\u{1}ü", "level": "none",
        "list": ["1", "2"],
      ]
      log.error("one\u{2028}line", metadata: metadata)
      log.debug("not written")
    }
    let lines = result.standardErrorContent.split(separator: 10)
    let line = Data(try #require(lines.last { $0.contains(UInt8(ascii: "{")) }))
    let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    #expect(object["status"] as? Int == 502 && object["ms"] as? Double == 1.25 && object["always"] as? String == "x")
    #expect(object["path"] as? String == "a\n\"b\"\\\u{1}ü" && object["level"] as? String == "error")
    #expect(object["message"] as? String == "one\u{2028}line" && object["logger"] as? String == "a \"label\"")
    #expect((object["time"] as? String)?.hasSuffix("Z") == true)
  }
}
