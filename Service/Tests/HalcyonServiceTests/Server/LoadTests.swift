import Foundation
import Halcyon
import HalcyonService
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Many requests, slow sources and clients that leave.
@Suite(.integrationTest)
struct LoadTests {
  @Test func `equal requests share one fetch`() async throws {
    try await RunningService.run { service, origin in
      let gate = Gate()
      let source = origin.serve("/a.png", .body(try Quadrants.png()).held(by: gate))
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<16 { group.addTask { try await service.image("rs:fill:40:40", of: source).status } }
        try await origin.waitForRequests()
        while try await !service.get("/metrics").text.contains("halcyon_requests_active 16.0") {}
        gate.open()
        for try await status in group { #expect(status == 200) }
      }
      #expect(origin.requests.count == 1)
      let metrics = try await service.get("/metrics").text
      #expect(metrics.contains("halcyon_results_total{cache=\"miss\"} 16\n"))
      #expect(metrics.contains("halcyon_decodes_total 1\n"))
    }
  }

  @Test func `requests beyond the queue of a host get 429, and those of other hosts are served`() async throws {
    try await RunningService.run {
      ($0.queueLength, $0.sourceConnectionsPerHost) = (1, 1)
    } body: { service, origin in
      let gate = Gate()
      let source = origin.serve("/a.png", .body(try Quadrants.png()).held(by: gate))
      try await ImageServer.run { other in
        try await withThrowingTaskGroup(of: Int.self) { group in
          for width in [40, 41] {
            // Other URLs of one host.
            let source = origin.serve("/\(width).png", .body(try Quadrants.png()).held(by: gate))
            group.addTask { try await service.image("w:\(width)", of: source).status }
          }
          // One is fetched, and the other one waits.
          while try await !service.get("/metrics").text.contains("halcyon_loads_fetching 2.0") {}
          let refused = try await service.image("w:42", of: source)
          #expect(refused.status == 429 && refused.headers["Retry-After"] == "1")
          let fast = other.serve("/a.png", .body(try Quadrants.png()))
          #expect(try await service.image("w:42", of: fast).status == 200)
          #expect(try await service.get("/health").status == 200)
          gate.open()
          for try await status in group { #expect(status == 200) }
        }
      }
    }
  }

  @Test func `cached and new results are sent while many requests wait for another source`() async throws {
    let clock = TestClock()
    try await RunningService.run(time: clock) { service, origin in
      let gate = Gate()
      for index in 0..<300 { _ = origin.serve("/slow/\(index)", .body(try Quadrants.png()).held(by: gate)) }
      try await ImageServer.run { other in
        let fast = other.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
        #expect(try await service.image("w:40", of: fast).status == 200)
        await service.service.flush()
        // Longer than results are sent without a look-up.
        clock.advance(by: .seconds(10))
        try await withThrowingTaskGroup(of: Int.self) { group in
          for index in 0..<300 {
            let slow = origin.url("/slow/\(index)")
            group.addTask { try await service.image("w:40", of: slow).status }
          }
          while try await !service.get("/metrics").text.contains("halcyon_requests_active 300.0") {}
          let cached = try await service.image("w:40", of: fast)
          #expect(cached.status == 200 && cached.headers["Cache-Status"] == "halcyon; hit")
          #expect(try await service.image("w:41", of: fast).status == 200)
          gate.open()
          for try await status in group { #expect(status == 200) }
        }
      }
    }
  }

  @Test func `a request that is not ready at the deadline ends with 503, and its fetch with it`() async throws {
    let clock = TestClock()
    try await RunningService.run({ $0.sourceTimeout = $0.deadline }, time: clock) { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()).stalled(at: .body(10)))
      let request = Task { try await service.image("w:40/h:40", of: source) }
      try await origin.waitForRequests()
      await clock.waitForSleepers()
      clock.advance(by: ServiceConfiguration().deadline)
      let answer = try await request.value
      #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
      try await origin.waitForClose(ofConnection: 1)
    }
  }

  @Test func `the fetch ends when its only client leaves`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()).stalled(at: .body(10)))
      let client = Task { try await service.image("w:40/h:40", of: source) }
      try await origin.waitForRequests()
      client.cancel()
      try await origin.waitForClose(ofConnection: 1)
      while try await !service.get("/metrics").text.contains("status=\"499\"") {}
      #expect(try await service.get("/metrics").text.contains("halcyon_requests_active 0.0"))
    }
  }

  @Test func `a cached result needs neither the source nor a decoder`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve(
        "/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]), .status(500))
      let first = try await service.image("rs:fill:30:30", of: source)
      await service.service.flush()
      let second = try await service.image("rs:fill:30:30", of: source)
      #expect(first.body == second.body && second.status == 200 && origin.requests.count == 1)
      #expect(first.headers["Cache-Status"] == "halcyon; fwd=miss" && second.headers["Cache-Status"] == "halcyon; hit")
      #expect(try await service.get("/metrics").text.contains("halcyon_results_total{cache=\"hit\"} 1"))
    }
  }

  @Test func `health, readiness and metrics are reported`() async throws {
    try await RunningService.run { service, _ in
      #expect(try await service.get("/health").status == 200)
      #expect(try await service.get("/ready").status == 200)
      service.service.stop()
      let answer = try await service.get("/ready")
      #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
      #expect(try await service.get("/health").status == 200)
      let metrics = try await service.get("/metrics")
      #expect(metrics.headers["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
      #expect(metrics.text.contains("# TYPE halcyon_request_duration_seconds histogram"))
      #expect(metrics.text.contains("halcyon_requests_total{status=\"503\"} 1"))
    }
  }
}
