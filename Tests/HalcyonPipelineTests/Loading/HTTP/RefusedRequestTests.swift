import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
import HalcyonTesting
import HalcyonTransport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Servers that refuse requests for some time, with `Retry-After`.
@Suite(.integrationTest)
struct RefusedRequestTests {
  private let clock = TestClock()
  private let image = SolidImage(width: 10, height: 10).data

  private func pipeline(strategy: any RetryStrategy = ExponentialBackoff()) -> ImagePipeline {
    var configuration = PipelineConfiguration(
      transport: CurlTransport(), decoders: [SolidDecoder()], cache: ImageCache(disk: nil), time: clock)
    configuration.options.retryStrategy = strategy
    configuration.retryBudget = 0
    return ImagePipeline(configuration: configuration)
  }

  /// Serves ten requests in each second, and refuses others for a second.
  private func serveTenASecond(on server: ImageServer, _ field: @escaping @Sendable () -> String) {
    let served = Lock<[Duration]>([])
    for number in 1...60 {
      server.serve("/\(number)") { [image, clock] _ in
        let now = clock.uptime()
        return served.withLock { served in
          served.removeAll { $0 + .seconds(1) <= now }
          guard served.count < 10 else {
            let date = HTTPDate.text(clock.now())
            return .status(429, headers: ["Retry-After": field(), "Date": date])
          }
          served.append(now)
          return .body(image)
        }
      }
    }
  }

  /// Loads all images; moves the clock whenever every load waits for the end of the pause.
  private func load(_ requests: [ImageRequest], with pipeline: ImagePipeline) async throws {
    let limiter = pipeline.loader.bytes.http.limiter
    let done = Counter()
    try await withThrowingTaskGroup { group in
      for request in requests {
        group.addTask {
          _ = try await pipeline.image(for: request)
          done.increment()
        }
      }
      while done.count < requests.count {
        try await Task.yieldUnlessCancelled()
        let left = requests.count - done.count
        guard left > 0, limiter.activeCount == 0, limiter.waitingCount == left, clock.sleeperCount == 1 else {
          continue
        }
        clock.advance(by: .milliseconds(1100))
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: ["seconds", "date"])
  func `a page of 60 images from a host that serves ten a second arrives whole, about as fast as possible`(
    form: String
  ) async throws {
    try await ImageServer.run { server in
      serveTenASecond(on: server) { [clock] in form == "date" ? HTTPDate.text(clock.now() + 1) : "1" }
      let requests = (1...60).map { ImageRequest(url: server.url("/\($0)")) }
      try await load(requests, with: pipeline())
      #expect(clock.uptime() <= .seconds(7.2))
      #expect(server.statuses.filter { $0 == 200 }.count == 60)
      #expect(server.statuses.filter { $0 == 429 }.count <= 60)
      #expect(clock.sleeperCount == 0)
    }
  }

  @Test func `loads cancelled during a pause leave nothing behind`() async throws {
    try await ImageServer.run { server in
      for number in 1...3 { server.serve("/\(number)", .status(429, headers: ["Retry-After": "20"])) }
      let pipeline = pipeline()
      let tasks = (1...3).map { pipeline.task(for: ImageRequest(url: server.url("/\($0)"))) }
      let limiter = pipeline.loader.bytes.http.limiter
      while limiter.waitingCount < 3 || clock.sleeperCount == 0 { try await Task.yieldUnlessCancelled() }
      for task in tasks { task.cancel() }
      while pipeline.activeJobCount > 0 || clock.sleeperCount > 0 { try await Task.yieldUnlessCancelled() }
      #expect(limiter.waitingCount == 0 && limiter.activeCount == 0)
      // The pause is still known: the next load waits for its end.
      let sent = server.requests.count
      let later = pipeline.task(for: ImageRequest(url: server.url("/1")))
      await clock.waitForSleepers()
      #expect(limiter.waitingCount == 1)
      #expect(server.requests.count == sent)
      later.cancel()
    }
  }

  @Test func `a host that refuses everything fails its loads after as many attempts as the strategy makes`()
    async throws
  {
    try await ImageServer.run { server in
      let url = server.serve("/a", .status(429, headers: ["Retry-After": "1"]))
      let task = pipeline().task(for: ImageRequest(url: url))
      for _ in 1...2 {
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(1100))
      }
      let error = await #expect(throws: ImageError.self) { try await task.image }
      #expect(error?.name == "retryLater")
      #expect(server.requests.count == 3)
    }
  }

  @Test(arguments: ["3600", "Wed, 15 Nov 2023 00:13:20 GMT"])
  func `a Retry-After of an hour and more is an error that names it`(field: String) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .status(429, headers: ["Retry-After": field]))
      let error = await #expect(throws: ImageError.self) { try await pipeline().image(for: url) }
      let seconds = field == "3600" ? "3600" : "7200"
      #expect(error?.description.contains("wait for \(seconds).0 seconds") == true, "\(error?.description ?? "")")
      #expect(error?.isTransient == true)
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: [5, 29]) func `behind many refused images a good one arrives after one pause`(count: Int)
    async throws
  {
    try await ImageServer.run { server in
      for number in 1...count { server.serve("/bad\(number)", .status(503, headers: ["Retry-After": "2"])) }
      let url = server.serve("/good", .body(image))
      let pipeline = pipeline()
      let limiter = pipeline.loader.bytes.http.limiter
      let bad = (1...count).map { pipeline.task(for: ImageRequest(url: server.url("/bad\($0)"))) }
      while limiter.waitingCount < count || clock.sleeperCount == 0 { try await Task.yieldUnlessCancelled() }
      let good = pipeline.task(for: ImageRequest(url: url))
      while limiter.waitingCount < count + 1 { try await Task.yieldUnlessCancelled() }
      #expect(server.requests.count <= 8)
      clock.advance(by: .seconds(2.2))
      _ = try await good.image
      for task in bad { task.cancel() }
    }
  }
}
