import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Results that are sent from memory without a task.
@Suite(.integrationTest)
struct FastResponseTests {
  private static let small = "/_/rs:fill:20:20/plain/local:///a.png@png"
  private static let large = "/_/rs:fill:40:40/plain/local:///a.png@png"

  /// Runs `body` with a connection to a service that has the results for `small` and `large` in memory, and their file.
  private func run(_ body: @escaping @Sendable (RawConnection, RunningService, URL) throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a.png")
      try Quadrants.png().write(to: file)
      try await RunningService.run {
        ($0.localRoot, $0.purgeToken) = (folder, "secret")
      } body: { service, _ in
        for path in [Self.small, Self.large] { _ = try await service.get(path) }
        try await RawConnection.run(to: service) { try body($0, service, file) }
      }
    }
  }

  private static func request(_ path: String, _ fields: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  @Test func `responses keep the order of pipelined requests, whether they are in memory or not`() async throws {
    try await run { connection, _, _ in
      let paths = [
        Self.small, "/health", Self.large, Self.small, "/nothing", "/_/w:33/plain/local:///a.png@png", Self.large,
      ]
      let requests = paths.enumerated().map { Self.request($1, "X-Request-ID: number-\($0)\r\n") }
      connection.send(requests.joined())
      let responses = try paths.map { _ in try connection.response() }
      #expect(responses.map { $0.headers["x-request-id"] } == paths.indices.map { "number-\($0)" })
      #expect(responses[0].body == responses[3].body && responses[2].body == responses[6].body)
      #expect(responses[0].body != responses[2].body && responses[1].body == Data("OK\n".utf8))
    }
  }

  @Test(arguments: [true, false])
  func `a body is not a request, also not in a later packet`(isInMemory: Bool) async throws {
    try await run { connection, _, _ in
      let body = Self.request(Self.large)
      let first = Self.request(isInMemory ? Self.small : "/health", "Content-Length: \(body.utf8.count)\r\n")
      func expectResponse() throws {
        let response = try connection.response()
        #expect(response.headers["content-type"] == (isInMemory ? "image/png" : "text/plain; charset=utf-8"))
      }
      for _ in 0..<3 {
        connection.send(first + body)
        try expectResponse()
        connection.send(Self.request("/nothing"))
        #expect(try connection.response().status == 400)
      }
      connection.send(first)
      try expectResponse()
      connection.send(body)
      #expect(try connection.isClosed())
    }
  }

  @Test func `each response has a date and an identifier, its own or that of the request`() async throws {
    try await run { connection, _, _ in
      let responses = try (0..<5).map { _ in
        connection.send(Self.request(Self.small))
        return try connection.response()
      }
      #expect(responses.allSatisfy { $0.status == 200 && $0.headers["date"]?.hasSuffix(" GMT") == true })
      #expect(responses.allSatisfy { $0.headers["cache-status"] == "halcyon; hit" })
      #expect(Set(responses.map(\.body)).count == 1 && Set(responses.map { $0.headers.keys.sorted() }).count == 1)
      #expect(Set(responses.map { $0.headers["x-request-id"] }).count == 5)
      connection.send(Self.request(Self.small, "X-Request-ID: mine\r\n"))
      #expect(try connection.response().headers["x-request-id"] == "mine")
    }
  }

  @Test func `conditional requests and requests for the head have no body`() async throws {
    try await run { connection, _, _ in
      connection.send(Self.request(Self.small))
      let whole = try connection.response()
      let tag = try #require(whole.headers["etag"])
      // The first is not in memory.
      for (path, status) in [("/_/w:33/plain/local:///a.png@png", 200), ("/health", 200), ("/nothing", 400)] {
        connection.send(Self.request(path, method: "HEAD"))
        #expect(try connection.response(hasBody: false).status == status, "\(path)")
      }
      for _ in 0..<3 {
        connection.send(Self.request(Self.small, "If-None-Match: \(tag)\r\n"))
        #expect(try connection.response().status == 304)
        connection.send(Self.request(Self.small, method: "HEAD"))
        let head = try connection.response(hasBody: false)
        #expect(head.status == 200 && head.headers["content-length"] == whole.headers["content-length"])
      }
      connection.send(Self.request(Self.small))
      #expect(try connection.response().body == whole.body)
      connection.send(Self.request(Self.small, "Range: bytes=2-9\r\n"))
      let part = try connection.response()
      #expect(part.status == 206 && part.body == whole.body.dropFirst(2).prefix(8))
      let date = try #require(whole.headers["last-modified"])
      connection.send(Self.request(Self.small, "If-Modified-Since: \(date)\r\n"))
      #expect(try connection.response().status == 304)
      // Other methods get nothing from memory either.
      connection.send(Self.request(Self.small, method: "POST"))
      #expect(try connection.response().status == 405)
    }
  }

  @Test func `a changed file and a purged source are read again`() async throws {
    try await run { connection, service, file in
      func get() throws -> RawResponse {
        connection.send(Self.request(Self.small))
        return try connection.response()
      }
      let tags = try (0..<3).map { _ in try get().headers["etag"] }
      try Photos.data("chelsea.png").write(to: file)
      #expect(service.service.cachedResponse(to: ServiceRequest(path: Self.small)) == nil)
      #expect(try get().headers["etag"] != tags[0])
      #expect(service.service.cachedResponse(to: ServiceRequest(path: Self.small)) != nil)
      let token = "Authorization: Bearer secret\r\n"
      connection.send(Self.request("/cache/plain/local:///a.png", token, method: "DELETE"))
      #expect(try connection.response().status == 200)
      #expect(try get().headers["cache-status"] == "halcyon; fwd=miss")
    }
  }
}
