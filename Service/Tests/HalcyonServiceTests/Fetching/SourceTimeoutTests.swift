import Foundation
import Halcyon
@testable import HalcyonService
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Sources that do not respond in time.
@Suite(.integrationTest)
struct SourceTimeoutTests {
  /// The responses to requests for a source that sends nothing, all of which wait for it when its time has passed.
  private func answers(
    _ count: Int, _ change: (inout ServiceConfiguration) -> Void = { _ in }
  ) async throws -> [RunningService.Answer] {
    let clock = TestClock()
    var answers: [RunningService.Answer] = []
    try await RunningService.run(change, time: clock) { service, origin in
      try await withThrowingTaskGroup(of: RunningService.Answer.self) { group in
        for index in 0..<count {
          // Some share a load, others a fetch, and others wait for a connection.
          let source = origin.serve("/\(index / 4).png", .body(try Quadrants.png()).stalled(at: .head(0)))
          group.addTask { try await service.image("w:\(40 + index / 2)", of: source) }
        }
        while try await !service.get("/metrics").text.contains("halcyon_requests_active \(count).0") {}
        // The source's time and the deadline of each.
        await clock.waitForSleepers(2 * count)
        clock.advance(by: ServiceConfiguration().sourceTimeout)
        for try await answer in group { answers.append(answer) }
      }
    }
    return answers
  }

  @Test func `a source that does not respond in time is a 504 before the deadline`() async throws {
    let answer = try #require(try await answers(1).first)
    #expect(answer.status == 504 && answer.text == "The source did not respond in time.\n")
  }

  @Test func `all its requests get the fallback image, whether its connection was made or waited for`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "fallback.png")
      try Quadrants.png(width: 120, height: 90).write(to: file)
      let answers = try await answers(32) {
        $0.fallback = file
        $0.sourceConnectionsPerHost = 2
      }
      #expect(answers.map(\.status) == Array(repeating: 200, count: 32))
      #expect(answers.allSatisfy { $0.headers["Fallback-Image"] == "1" })
    }
  }

  @Test(arguments: [1, 2, 15, 60])
  func `the waits before requests that repeat a failed one leave time for the answer`(seconds: Int) async throws {
    let (timeout, url) = (Duration.seconds(seconds), try #require(URL(string: "https://a.example/1.png")))
    func delay(_ count: Int, retryAfter: Duration? = nil) async -> Duration? {
      await SourceRetries(timeout: timeout).delay(
        after: FailedAttempt(error: .httpStatus(500, url: url), attemptCount: count, retryAfter: retryAfter))
    }
    let delays = [await delay(1), await delay(2), await delay(3)].compactMap(\.self)
    #expect(delays.count == 2)
    #expect(delays.reduce(.zero, +) <= timeout * 2 / 3)
    #expect(await delay(1, retryAfter: timeout / 2) == nil)
  }
}
