import Foundation
import Halcyon
import NIOCore
import TestSupport
import Testing

@testable import HalcyonService

/// Requests with the same bytes as earlier ones, which are answered without being parsed.
@Suite(.timeLimit(.minutes(10)))
struct RepeatedRequestTests {
  /// A connection to a service, used on one thread.
  private final class Connection {
    private let socket: Socket

    init(toPort port: Int) throws { socket = try .connected(toPort: UInt16(port)) }

    struct Reply {
      let status: Int
      let headers: [String: String]
      let body: Data
    }

    func send(_ text: String) { _ = socket.send(Data(text.utf8)) }

    func reply(hasBody: Bool = true) throws -> Reply {
      var received = Data()
      while received.range(of: Data("\r\n\r\n".utf8)) == nil {
        let piece = try socket.receive()
        if piece.isEmpty { throw URLError(.networkConnectionLost) }
        received += piece
      }
      let end = try #require(received.range(of: Data("\r\n\r\n".utf8)))
      let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1) }
      let headers = Dictionary(
        fields.map { (String($0[0]).lowercased(), $0[1].trimmingCharacters(in: .whitespaces)) }
      ) { $1 }
      let status = Int(lines[0].split(separator: " ")[1]) ?? 0
      var body = Data(received[end.upperBound...])
      let count = hasBody && status != 304 ? Int(headers["content-length"] ?? "") ?? 0 : 0
      while body.count < count {
        let piece = try socket.receive()
        if piece.isEmpty { throw URLError(.networkConnectionLost) }
        body += piece
      }
      #expect(body.count == count, "nothing follows the response")
      return Reply(status: status, headers: headers, body: body)
    }

    func get(_ path: String, _ fields: String = "") throws -> Reply {
      send(request(path, fields))
      return try reply()
    }
  }

  private static func request(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private let path = "/_/rs:fill:20:20/plain/local:///a.png@png"

  /// Runs `body` with a service that has the result for `path` in memory.
  private func run(_ body: @escaping @Sendable (ImageService, Connection, URL) throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a.png")
      try Quadrants.png().write(to: file)
      try await RunningService.run {
        ($0.localRoot, $0.purgeToken) = (folder, "secret")
      } body: { service, _ in
        _ = try await service.get(path)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          Thread.detachNewThread {
            continuation.resume(
              with: Result {
                try body(service.service, Connection(toPort: service.port), file)
              })
          }
        }
      }
    }
  }

  private static func isRepeated(_ text: String, _ service: ImageService) -> Bool {
    service.repeatedResponse(to: ByteBuffer(string: text)) != nil
  }

  @Test func `repeated requests get the same result, each with a date and an identifier of its own`() async throws {
    let path = path
    try await run { service, connection, _ in
      #expect(!Self.isRepeated(Self.request(path), service))
      let replies = try (0..<5).map { _ in try connection.get(path) }
      #expect(Self.isRepeated(Self.request(path), service))
      #expect(replies.allSatisfy { $0.status == 200 && $0.headers["date"]?.hasSuffix(" GMT") == true })
      #expect(Set(replies.map(\.body)).count == 1 && Set(replies.map { $0.headers["etag"] }).count == 1)
      #expect(replies.allSatisfy { $0.headers["cache-status"] == "halcyon; hit" })
      #expect(Set(replies.map { $0.headers["x-request-id"] }).count == 5)
      #expect(Set(replies.map { $0.headers.keys.sorted() }).count == 1)
      let named = try (0..<3).map { _ in try connection.get(path, "X-Request-ID: mine\r\n") }
      #expect(named.allSatisfy { $0.headers["x-request-id"] == "mine" })
    }
  }

  @Test func `repeated conditional requests and requests for the head have no body`() async throws {
    let path = path
    try await run { service, connection, _ in
      let tag = try #require(try connection.get(path).headers["etag"])
      for _ in 0..<4 { #expect(try connection.get(path, "If-None-Match: \(tag)\r\n").status == 304) }
      #expect(Self.isRepeated(Self.request(path, "If-None-Match: \(tag)\r\n"), service))
      for _ in 0..<4 {
        connection.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.reply(hasBody: false).status == 200)
      }
      #expect(try !connection.get(path).body.isEmpty)
    }
  }

  @Test func `a changed file is read again, whatever was sent before`() async throws {
    let path = path
    try await run { service, connection, file in
      let tags = try (0..<3).map { _ in try connection.get(path).headers["etag"] }
      try Photos.data("chelsea.png").write(to: file)
      #expect(!Self.isRepeated(Self.request(path), service))
      #expect(try connection.get(path).headers["etag"] != tags[0])
    }
  }

  @Test func `a purged result is not sent any more`() async throws {
    let path = path
    try await run { service, connection, _ in
      for _ in 0..<3 { _ = try connection.get(path) }
      #expect(Self.isRepeated(Self.request(path), service))
      let purge = "DELETE /cache/plain/local:///a.png HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n\r\n"
      connection.send(purge)
      #expect(try connection.reply().status == 200)
      #expect(!Self.isRepeated(Self.request(path), service))
      #expect(try connection.get(path).headers["cache-status"] == "halcyon; fwd=miss")
    }
  }

  @Test func `requests in pieces, with bodies, or several at once are parsed`() async throws {
    let path = path
    try await run { service, connection, _ in
      for _ in 0..<3 { _ = try connection.get(path) }
      let request = Self.request(path)
      // A body that looks like a request belongs to the request before it.
      connection.send("GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: \(request.utf8.count)\r\n\r\n")
      connection.send(request)
      #expect(try connection.reply().body == Data("OK\n".utf8))
      connection.send(request + String(request.prefix(10)))
      #expect(try connection.reply().headers["content-type"] == "image/png")
      connection.send(String(request.dropFirst(10)))
      #expect(try connection.reply().headers["content-type"] == "image/png")
      #expect(try connection.get("/health").status == 200)
    }
  }

  @Test func `requests whose connection ends with them, or of HTTP 1.0, are not remembered`() async throws {
    let path = path
    for (version, fields) in [("1.1", "Connection: close\r\n"), ("1.0", "")] {
      let text = "GET \(path) HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n"
      try await run { service, connection, _ in
        connection.send(text)
        let reply = try connection.reply()
        #expect(reply.status == 200)
        #expect(!Self.isRepeated(text, service))
      }
    }
  }
}
