#if !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// Responses that break the rules of HTTP and that browsers show, sent byte by byte as they are given.
@Suite(.integrationTest)
struct LenientResponseTests {
  private static let body = Data((0..<75).map { UInt8($0) })
  private static let chunks = Data("4b\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8)

  struct Case: CustomTestStringConvertible {
    let name: String
    /// The header lines, without the status line and the empty line.
    var fields: [String]
    var body = LenientResponseTests.body
    /// Whether the server closes the connection after the body.
    var closes = true
    var requestCounts = 1...1
    var status = "HTTP/1.1 200 OK"

    var testDescription: String { name }
  }

  private static let chunkedIdentity = Case(
    name: "identity and chunked", fields: ["Transfer-Encoding: identity, chunked"], body: chunks, closes: false)

  private static let shown = [
    Case(name: "identity", fields: ["Transfer-Encoding: identity", "Content-Length: 75"], closes: false),
    Case(name: "identity, closed", fields: ["Transfer-Encoding: Identity", "Content-Length: 75"]),
    Case(name: "identity without a length", fields: ["Transfer-Encoding: identity"]),
    Case(
      name: "identity and more bytes", fields: ["Transfer-Encoding: identity", "Content-Length: 75"], body: body + body,
      closes: false),
    Case(name: "chunked twice", fields: ["Transfer-Encoding: chunked, chunked"], body: chunks, closes: false),
    Case(name: "no coding", fields: ["Transfer-Encoding:", "Content-Length: 75"], closes: false),
    Case(name: "no coding and no length", fields: ["Transfer-Encoding: ,"]),
    // libcurl 8 is told in a second request to ignore the length, so that the connection ends the body.
    Case(name: "plus", fields: ["Content-Length: +75"], requestCounts: 1...2),
    Case(name: "empty length", fields: ["Content-Length:"], requestCounts: 2...2),
    Case(name: "text as length", fields: ["Content-Length: many"], requestCounts: 2...2),
    Case(name: "negative length", fields: ["Content-Length: -5"], requestCounts: 2...2),
    Case(name: "number and text as length", fields: ["Content-Length: 7x"], requestCounts: 2...2),
    Case(
      name: "text as length of chunks", fields: ["Transfer-Encoding: chunked", "Content-Length: many"], body: chunks,
      closes: false, requestCounts: 2...2),
    Case(
      name: "chunked in two fields", fields: ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], body: chunks,
      closes: false),
    Case(
      name: "a head of 200 KB",
      fields: (1...200).map { "X-\($0): " + String(repeating: "y", count: 1000) } + ["Content-Length: 75"],
      closes: false),
  ]

  /// Of libcurl 8.5.
  private static let unread = ResponseHeadParser.readsChunksAfterIdentity ? [] : [chunkedIdentity]

  private func respond(_ given: Case, on server: ImageServer) -> URL {
    let head = ([given.status] + given.fields).joined(separator: "\r\n") + "\r\n\r\n"
    let reply = Reply.raw(Data(head.utf8) + given.body)
    return server.serve("/a", given.closes ? reply : reply.stalled(at: .end))
  }

  private func load(_ url: URL, by transport: CurlTransport = CurlTransport()) async throws -> Data {
    let response = try await transport.response(to: TransportRequest(url: url))
    return try await response.body.reduce(into: Data()) { $0 += $1 }
  }

  @Test(arguments: shown + (unread.isEmpty ? [chunkedIdentity] : []))
  func `a response that browsers show has a body`(given: Case) async throws {
    try await ImageServer.run { server async throws in
      let url = respond(given, on: server)
      #expect(try await load(url) == Self.body)
      #expect(given.requestCounts.contains(server.requests.count))
    }
  }

  @Test(
    arguments: unread + [
      Case(name: "two lengths", fields: ["Content-Length: 75", "Content-Length: 76"]),
      Case(name: "compressed in transfer", fields: ["Transfer-Encoding: gzip, chunked"], body: chunks),
      // libcurl has no option for these. Browsers show them.
      Case(name: "a field without a colon", fields: ["nonsense", "Content-Length: 75"]),
      Case(name: "a later version", fields: [], status: "HTTP/1.2 200 OK"),
      Case(name: "an empty line first", fields: ["Content-Length: 75"], status: "\r\nHTTP/1.1 200 OK"),
      Case(name: "a field of 120 KB", fields: ["X: " + String(repeating: "y", count: 120_000), "Content-Length: 75"]),
    ])
  func `other malformed responses are errors`(given: Case) async throws {
    try await ImageServer.run { server async throws in
      let url = respond(given, on: server)
      await #expect(throws: TransportError.self) { try await load(url) }
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a request with content is not sent again for a response whose length is no number`() async throws {
    try await ImageServer.run { server async throws in
      let request = TransportRequest(
        url: respond(Case(name: "", fields: ["Content-Length: many"]), on: server), method: .put, body: Data([1]))
      await #expect(throws: TransportError.self) { try await CurlTransport().response(to: request) }
      #expect(server.requests.count == 1)
    }
  }

  @Test func `the error of a long field names the limit of libcurl`() async throws {
    try await ImageServer.run { server async throws in
      let url = server.serve("/a", Reply.body(Self.body).padded(headerCount: 1, valueByteCount: 120_000))
      await #expect(throws: TransportError.headersTooLarge(byteLimit: 102_400)) { try await load(url) }
    }
  }

  @Test func `the length of the next response is not ignored`() async throws {
    try await ImageServer.run { server async throws in
      let transport = CurlTransport()
      #expect(
        try await load(respond(Case(name: "", fields: ["Content-Length: many"]), on: server), by: transport)
          == Self.body)
      let next = server.serve("/b", .body(Self.body))
      for _ in 1...2 { #expect(try await load(next, by: transport) == Self.body) }
      #expect(Set(server.requests(for: "/b").map(\.connectionID)).count == 1)
    }
  }
}
#endif
