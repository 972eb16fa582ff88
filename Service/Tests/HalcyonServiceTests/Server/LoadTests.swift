import Foundation
import Halcyon
import HalcyonService
import HalcyonTesting
import ServiceLifecycle
import TestSupport
import TestTraits
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

  @Test func `requests beyond the queue get 429, and those that wait are served`() async throws {
    try await RunningService.run {
      $0.concurrency = 1
      $0.queueLength = 1
    } body: { service, origin in
      let gate = Gate()
      let source = origin.serve("/a.png", .body(try Quadrants.png()).held(by: gate))
      let other = origin.serve("/b.png", .body(try Quadrants.png()))
      try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await service.image("w:40/h:40", of: source).status }
        try await origin.waitForRequests()
        group.addTask { try await service.image("w:40/h:40", of: other).status }
        while try await !service.get("/metrics").text.contains("halcyon_requests_waiting 1.0") {}
        let refused = try await service.image("w:41/h:40", of: other)
        #expect(refused.status == 429 && refused.headers["Retry-After"] == "1")
        #expect(try await service.get("/health").status == 200)
        gate.open()
        for try await status in group { #expect(status == 200) }
      }
    }
  }

  @Test func `a request that is not ready at the deadline ends with 503, and its fetch with it`() async throws {
    let clock = TestClock()
    try await RunningService.run(time: clock) { service, origin in
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

  @Test func `requests in flight are finished when the service stops`() async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { origin in
        let gate = Gate()
        let source = origin.serve("/a.png", .body(try Quadrants.png()).held(by: gate))
        var configuration = ServiceConfiguration()
        (configuration.port, configuration.isInsecure, configuration.cacheDirectory) = (0, true, folder)
        configuration.addressPolicy = .any
        let service = try await ImageService(configuration, logger: .silent)
        let port = Monitor(0)
        let server = ServiceServer(service, configuration: configuration, logger: .silent) { number in
          port.update { $0 = number }
        }
        let group = ServiceGroup(
          configuration: ServiceGroupConfiguration(services: [server], logger: .silent))
        async let end: Void = group.run()
        try await port.wait { $0 > 0 }
        let running = RunningService(port: port.read { $0 }, service: service)
        async let status = running.image("w:40/h:40", of: source).status
        try await origin.waitForRequests()
        #expect(try await running.get("/ready").status == 200)
        await group.triggerGracefulShutdown()
        gate.open()
        #expect(try await status == 200)
        try await end
      }
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
