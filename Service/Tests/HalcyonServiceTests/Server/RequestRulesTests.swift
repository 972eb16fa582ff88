import Foundation
import HTTPTypes
import Halcyon
import TestSupport
import TestTraits
import Testing

@testable import HalcyonService

/// The rules of HTTP/1 for requests and connections (RFC 9112).
@Suite(.integrationTest)
struct RequestRulesTests {
  private func run(_ body: @escaping @Sendable (RawConnection) throws -> Void) async throws {
    try await RunningService.run { service, _ in
      try await RawConnection.run(to: service, body)
    }
  }

  @Test func `a client of HTTP 1.0 gets one response, unless it asks for more`() async throws {
    try await run { connection throws in
      connection.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(try connection.response().status == 200)
      connection.send("GET /health HTTP/1.0\r\n\r\n")
      #expect(try connection.response().status == 200)
      #expect(try connection.isClosed())
    }
  }

  @Test(arguments: ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n"])
  func `a request without exactly one host is refused, after the responses before it`(fields: String) async throws {
    try await run { connection throws in
      connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /health HTTP/1.1\r\n\(fields)\r\n")
      #expect(try connection.response().status == 200)
      #expect(try connection.response().status == 400)
      #expect(try connection.isClosed())
    }
  }

  @Test func `an upload that announces too many bytes is refused before they are sent`() async throws {
    try await RunningService.run {
      $0.showsGallery = true
      $0.limits.encodedByteCount = 20_000
    } body: { service, _ in
      try await RawConnection.run(to: service) { connection in
        connection.send(
          """
          POST /gallery/uploads HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n\
          Content-Length: 20001\r\n\r\n
          """)
        let response = try connection.response()
        #expect(response.status == 413 && response.headers["connection"] == "close")
      }
    }
  }

  @Test func `the body of an upload is read only once it has a permit`() async throws {
    try await RunningService.run {
      ($0.showsGallery, $0.concurrency) = (true, 1)
    } body: { service, _ in
      let (isHeld, release, order) = (Signal(), Signal(), EventLog<String>())
      @Sendable func upload(_ body: @escaping @Sendable () async -> Void) async -> Int {
        let request = ServiceRequest(
          method: .post, path: "/gallery/uploads", headers: [.contentType: "application/octet-stream"]
        ) { _ in
          await body()
          return Data()
        }
        return await service.service.response(to: request).status
      }
      async let first = upload {
        isHeld.set()
        await release.wait()
        order.record("first")
      }
      await isHeld.wait()
      async let second = upload { order.record("second") }
      while try await !service.get("/metrics").text.contains("halcyon_requests_waiting 1\n") { await Task.yield() }
      release.set()
      #expect(await [first, second].allSatisfy { $0 != 200 })
      #expect(order.events == ["first", "second"])
    }
  }

  @Test(arguments: [(1024, 768), (200, 8), (400, 200), (1_048_576, 786_432), (20, 8)])
  func `clients leave file descriptors for everything else`(descriptors: Int, connections: Int) {
    #expect(DescriptorLimit.connections(ofDescriptors: descriptors) == connections)
  }
}
