import HalcyonImaging
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTesting
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest)
struct FailureMemoryTests {
  private let clock = TestClock()
  private let url = URL(filePath: "/a")

  private func memory() -> FailureMemory { FailureMemory(lifetimes: FailureLifetimes(), time: clock) }

  private func keys(_ range: Range<Int>) -> [CacheKey] { range.map { CacheKey("\($0)") } }

  /// The seconds for which a failure is remembered, with a response that says nothing, and one that says 100.
  @Test func `how long a failure is remembered depends on its kind, and a missing image's on its response`() {
    let lifetimes = FailureLifetimes(missing: .seconds(1), unusable: .seconds(2), unknownHost: .seconds(3))
    let rows: [(error: ImageError, seconds: Int, stated: Int)] = [
      (.httpStatus(404, url: url), 1, 100), (.httpStatus(410, url: url), 1, 100), (.httpStatus(451, url: url), 1, 100),
      (.httpStatus(403, url: url), 0, 0), (.httpStatus(400, url: url), 0, 0), (.httpStatus(500, url: url), 0, 0),
      (.notAnImage(contentType: nil, url: url), 2, 2), (.emptyResponse(url: url), 2, 2),
      (.responseTooLarge(byteLimit: 1, url: url), 2, 2), (.tooManyRedirects(limit: 1, url: url), 2, 2),
      (.redirectRejected(to: "a", from: url), 2, 2), (.decoding(.truncated(.bmp), url: url), 2, 2),
      (.transport(.hostNotFound("a"), url: url), 3, 3), (.transport(.idleTimedOut(.zero), url: url), 0, 0),
      (.cancelled, 0, 0), (.notCached(key: "a"), 0, 0),
    ]
    let unheeding = FailureLifetimes(
      missing: .seconds(1), unusable: .seconds(2), unknownHost: .seconds(3), followsHTTP: false)
    for (error, seconds, stated) in rows {
      #expect(lifetimes.lifetime(of: error) == .seconds(seconds), "\(error)")
      #expect(lifetimes.lifetime(of: error, stated: 100) == .seconds(stated), "\(error)")
      #expect(lifetimes.lifetime(of: error, stated: 1e9) == .seconds(stated == 100 ? 3600 : stated), "\(error)")
      #expect(unheeding.lifetime(of: error, stated: 100) == .seconds(seconds), "\(error)")
      #expect(FailureLifetimes.none.lifetime(of: error, stated: 100) == .zero, "\(error)")
    }
  }

  @Test func `a thousand failures are remembered, and never more`() {
    let memory = memory()
    for (number, key) in keys(0..<5000).enumerated() {
      memory.remember(.httpStatus(404, url: url), for: key, atMost: .seconds(60))
      #expect(memory.error(for: key) != nil)
      if number == 999 { #expect(keys(0..<1000).allSatisfy { memory.error(for: $0) != nil }) }
    }
    #expect(keys(0..<5000).count { memory.error(for: $0) != nil } <= 1000)
  }

  @Test func `failures that are over make way for others`() {
    let memory = memory()
    for key in keys(0..<999) {
      memory.remember(.transport(.hostNotFound("a"), url: url), for: key, atMost: .seconds(60))
    }
    memory.remember(.httpStatus(404, url: url), for: "long", atMost: .seconds(60))
    clock.advance(by: .seconds(3))
    for key in keys(1000..<1100) { memory.remember(.httpStatus(404, url: url), for: key, atMost: .seconds(60)) }
    #expect(memory.error(for: "long") != nil)
    #expect(keys(1000..<1100).allSatisfy { memory.error(for: $0) != nil })
  }

  @Test func `a failure is remembered for its lifetime, or until it is forgotten`() {
    let lifetimes = FailureLifetimes(missing: .seconds(3), unusable: .seconds(5), unknownHost: .seconds(7))
    let memory = FailureMemory(lifetimes: lifetimes, time: clock)
    let cases: [(ImageError, Int)] = [
      (.httpStatus(404, url: url), 3), (.httpStatus(410, url: url), 3), (.httpStatus(451, url: url), 3),
      (.httpStatus(401, url: url), 0), (.httpStatus(403, url: url), 0), (.httpStatus(503, url: url), 0),
      (.emptyResponse(url: url), 5), (.responseTooLarge(byteLimit: 1, url: url), 5),
      (.tooManyRedirects(limit: 1, url: url), 5), (.redirectRejected(to: "b", from: url), 5),
      (.transport(.hostNotFound("a"), url: url), 7), (.transport(.idleTimedOut(.seconds(1)), url: url), 0),
      (.cancelled, 0),
    ]
    for (error, seconds) in cases {
      memory.remember(error, for: "a", atMost: .seconds(60))
      #expect((memory.error(for: "a") != nil) == (seconds > 0), "\(error)")
      clock.advance(by: .seconds(seconds) - .milliseconds(seconds > 0 ? 1 : 0))
      #expect((memory.error(for: "a") != nil) == (seconds > 0), "\(error)")
      clock.advance(by: .milliseconds(1))
      #expect(memory.error(for: "a") == nil, "\(error)")
    }
    memory.remember(.httpStatus(404, url: url), for: "a", atMost: .seconds(60))
    memory.forget("a")
    #expect(memory.error(for: "a") == nil)
    memory.remember(.httpStatus(404, url: url), for: "a", atMost: .seconds(60))
    memory.lifetimes = .none
    #expect(memory.error(for: "a") == nil)
  }

  /// Responses with status 404 or 410, and for how many seconds they are not requested again.
  @Test(arguments: [
    (404, ["Cache-Control": "max-age=90"], 90), (410, ["Cache-Control": "public, max-age=90", "Age": "30"], 60),
    (404, ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], 60), (404, ["Cache-Control": "max-age=86400"], 3600),
    (404, ["Cache-Control": "max-age=0"], 0), (404, ["Cache-Control": "no-cache, max-age=90"], 0),
    (410, ["Cache-Control": "no-store"], 0), (404, [:], 10),
    (404, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], 10), (403, ["Cache-Control": "max-age=90"], 0),
  ]) func `a missing image is missing for as long as its response says`(
    status: Int, fields: [String: String], seconds: Int
  ) async throws {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers[name] = value }
    for followsHTTP in [true, false] {
      let clock = TestClock(date: Date(timeIntervalSince1970: 1_700_000_000))
      let fixture = PipelineFixture {
        $0.time = clock
        $0.failureLifetimes = FailureLifetimes(followsHTTP: followsHTTP)
      } script: { [headers] _ in
        .response(status: status, body: Data(), headers: headers)
      }
      func requestCount() async -> Int {
        _ = try? await fixture.pipeline.image(for: ImageRequest(url: fixture.url))
        return fixture.transport.requests.count
      }
      let lifetime = followsHTTP || status == 403 ? seconds : 10
      #expect(await requestCount() == 1)
      if lifetime > 0 {
        clock.advance(by: .seconds(lifetime) - .milliseconds(1))
        #expect(await requestCount() == 1)
        clock.advance(by: .milliseconds(1))
      }
      #expect(await requestCount() == 2)
    }
  }
}

@Suite(.unitTest)
struct RetryBudgetTests {
  private func origin(_ host: String) throws -> Origin {
    try #require(URL(string: "http://\(host).example/").flatMap(Origin.init))
  }

  @Test func `ten successes refill one retry of their origin, up to the capacity`() throws {
    let (budget, origin) = (RetryBudget(capacity: 2), try origin("a"))
    for _ in 0..<100 { budget.recordSuccess(of: origin) }
    #expect((0..<3).map { _ in budget.spend(for: origin) } == [true, true, false])
    for _ in 0..<9 { budget.recordSuccess(of: origin) }
    #expect(!budget.spend(for: origin))
    for _ in 0..<2 { budget.recordSuccess(of: origin) }
    #expect((0..<2).map { _ in budget.spend(for: origin) } == [true, false])
  }

  @Test func `retries of loads that succeed come back, up to the capacity`() throws {
    let (budget, origin) = (RetryBudget(capacity: 3), try origin("a"))
    func spent() -> [Bool] { (0..<4).map { _ in budget.spend(for: origin) } }
    #expect(spent() == [true, true, true, false])
    budget.recordSuccess(of: origin, retryCount: 2)
    #expect(spent() == [true, true, false, false])
    for _ in 0..<100 { budget.recordSuccess(of: origin, retryCount: 1) }
    #expect(spent() == [true, true, true, false])
  }

  @Test func `origins have budgets of their own, of which a limited number is remembered`() throws {
    let budget = RetryBudget(capacity: 3)
    let first = try origin("first")
    for _ in 0..<3 { #expect(budget.spend(for: first)) }
    for number in 0..<5000 {
      let other = try origin("\(number)")
      #expect(budget.spend(for: other))
    }
    // The origins that have spent the least are forgotten first.
    #expect(!budget.spend(for: first))
  }
}
