import Foundation
import HalcyonService
import Logging
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct JSONLogHandlerTests {
  @Test func `lines without a reader are dropped, and the process goes on`() async {
    await #expect(processExitsWith: .success) {
      // As NIO does, for the whole process.
      signal(SIGPIPE, SIG_IGN)
      let log = Logger(label: "test") { JSONLogHandler(label: $0) }
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
}
