import Foundation
import Halcyon
import HalcyonService
import HalcyonTesting
import ServiceLifecycle
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// What happens between SIGTERM and the end of the process.
@Suite(.integrationTest)
struct DrainTests {
  /// Runs `body` with a service in a group, which it asks to stop; the group has ended when this returns.
  private func run(
    _ clock: TestClock, drain: Duration,
    _ body: @escaping @Sendable (RunningService, ImageServer, ServiceGroup) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { origin in
        var configuration = ServiceConfiguration()
        (configuration.port, configuration.isInsecure, configuration.cacheDirectory) = (0, true, folder)
        (configuration.addressPolicy, configuration.drain) = (.any, drain)
        let service = try await ImageService(configuration, logger: .silent, time: clock)
        let port = Monitor(0)
        let server = ServiceServer(service, configuration: configuration, logger: .silent) { number in
          port.update { $0 = number }
        }
        let group = ServiceGroup(
          configuration: ServiceGroupConfiguration(services: [server], logger: .silent))
        async let end: Void = group.run()
        try await port.wait { $0 > 0 }
        try await body(RunningService(port: port.read { $0 }, service: service), origin, group)
        try await end
      }
    }
  }

  private static func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

  @Test func `requests in flight are finished when the service stops`() async throws {
    try await run(TestClock(), drain: .zero) { service, origin, group in
      let gate = Gate()
      let source = origin.serve("/a.png", .body(try Quadrants.png()).held(by: gate))
      async let status = service.image("w:40/h:40", of: source).status
      try await origin.waitForRequests()
      #expect(try await service.get("/ready").status == 200)
      await group.triggerGracefulShutdown()
      gate.open()
      #expect(try await status == 200)
    }
  }

  @Test func `a draining service accepts connections, serves images, and is not ready`() async throws {
    let clock = TestClock()
    try await run(clock, drain: .seconds(10)) { service, origin, group in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let path = "/_/w:40/plain/\(source.absoluteString)@png"
      try await RawConnection.run(to: service) { old in
        old.send(Self.request(path))
        let response = try old.response()
        #expect(response.status == 200 && response.headers["connection"] == nil)
        Task { await group.triggerGracefulShutdown() }
        var isReady = true
        while isReady {
          let new = try RawConnection(toPort: service.port)
          new.send(Self.request("/ready"))
          let ready = try new.response()
          // A request whose head came just before does not end its connection.
          isReady = ready.headers["connection"] != "close"
          guard !isReady else { continue }
          #expect(ready.status == 503 && ready.headers["connection"] == "close")
          #expect(try new.isClosed())
        }
        for _ in 0..<2 {
          let other = try RawConnection(toPort: service.port)
          other.send(Self.request(path))
          #expect(try other.response().status == 200)
          #expect(try other.isClosed())
        }
        // A connection from before ends with its next response, also with one from memory.
        old.send(Self.request(path))
        let last = try old.response()
        #expect(last.status == 200 && last.headers["connection"] == "close")
        #expect(try old.isClosed())
      }
      await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
    }
  }
}
