import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HalcyonService

/// What RFC 9112 asks of a server, on connections whose bytes the test writes.
@Suite(.integrationTest)
struct RequestRulesTests {
  private func run(
    _ change: @escaping (inout ServiceConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RawConnection) throws -> Void
  ) async throws {
    try await RunningService.run(change) { service, _ in try await RawConnection.run(to: service, body) }
  }

  /// The bytes of a request, the statuses its response may have, what `Connection` it has, and whether the connection ends.
  private typealias Conversation = (request: String, statuses: ClosedRange<Int>, field: String?, isLast: Bool)

  private static func last(_ statuses: ClosedRange<Int>, _ request: String) -> Conversation {
    (request, statuses, "close", true)
  }
  private static let oldRequests: [Conversation] = [
    "", "Host: a\r\n", "Connection: close\r\n", "Connection: foo\r\n",
  ].map { last(200...200, "GET /health HTTP/1.0\r\n\($0)\r\n") }
  private static let lastRequests: [Conversation] = ["Close", "keep-alive, close", "CLOSE"].map {
    last(200...200, "GET /health HTTP/1.1\r\nHost: a\r\nConnection: \($0)\r\n\r\n")
  }
  private static let upgrades: [Conversation] = [
    "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings\r\n",
    "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n",
    "upgrade: TLS/1.0\r\nconnection: UPGRADE\r\n", "Upgrade: h2c\r\n",
  ].map { last(200...200, "GET /health HTTP/1.1\r\nHost: a\r\n\($0)\r\n\(plain)") }
  private static let hosts: [Conversation] = [
    "", "Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host: a, b\r\n", "Host: a b\r\n", "Host: a/b\r\n",
    "Host: user@a\r\n",
  ].map { last(400...400, "GET /health HTTP/1.1\r\n\($0)\r\n\(plain)") }
  private static let incomplete: [Conversation] = [
    "Content-Length: 20001\r\n\r\n", "Content-Length: 20001\r\nConnection: close\r\n\r\naaa",
    "Transfer-Encoding: chunked\r\n\r\n3\r\naaa\r\n",
  ].flatMap { rest in
    [("GET", 200), ("POST", 405)].map { last($1...$1, "\($0) /health HTTP/1.1\r\nHost: a\r\n\(rest)") }
  }
  private static let others: [Conversation] = [
    (plain, 200...200, nil, false),
    ("GET /health HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 200...200, "keep-alive", false),
    ("GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345", 200...200, nil, false),
    last(400...400, "GET /health HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"),
    last(
      200...200,
      "GET /health HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(plain)"),
    last(
      405...405,
      "POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n12345"),
    last(400...499, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n\u{16}\u{3}\u{1}"),
  ]
  private static let conversations: [Conversation] = oldRequests + lastRequests + upgrades + hosts + incomplete + others
  private static let plain = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: conversations.indices)
  func `a request has one response, and the connection ends with it where RFC 9112 says so`(index: Int) async throws {
    let (request, statuses, field, isLast) = Self.conversations[index]
    try await run { connection throws in
      connection.send(Self.plain)
      #expect(try connection.response().headers["connection"] == nil)
      for _ in 0..<(isLast ? 1 : 2) {
        connection.send(request)
        let response = try connection.response()
        #expect(statuses.contains(response.status) && response.headers["connection"] == field, "\(request)")
        #expect(response.status != 200 || response.body == Data("OK\n".utf8))
      }
      if isLast { #expect(try connection.isClosed(), "\(request)") }
    }
  }

  @Test func `a body without end is dropped, for two seconds after the response`() throws {
    let channel = EmbeddedChannel(handlers: [HalfClosure(), RequestRules(isDraining: { false })])
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: ["Host": "a"])
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    _ = try channel.readInbound(as: HTTPServerRequestPart.self)
    channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
    channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    for _ in 0..<2 {
      #expect(channel.isActive)
      try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "a")))
      #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    #expect(!channel.isActive)
  }

  @Test func `a response does not end the connection if only a later request is incomplete`() throws {
    let channel = EmbeddedChannel(handlers: [HalfClosure(), RequestRules(isDraining: { false })])
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: ["Host": "a"])
    for part in [HTTPServerRequestPart.head(head), .end(nil), .head(head)] { try channel.writeInbound(part) }
    let parts: [HTTPServerResponsePart] = [.head(HTTPResponseHead(version: .http1_1, status: .ok)), .end(nil)]
    func respond() throws {
      channel.write(parts[0], promise: nil)
      channel.writeAndFlush(parts[1], promise: nil)
      // Sent without `Connection: close`.
      for part in parts { #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == part) }
    }
    try respond()
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
    try respond()
    channel.embeddedEventLoop.advanceTime(by: .seconds(3))
    #expect(channel.isActive)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test(arguments: ["w:%0D%0ASet-Cookie:%20a", "%1B%5B2J:1", "w:%E2%80%AE1", "w:%00", "w:%C2%85", "x\u{202E}y:1"])
  func `errors repeat no control characters`(options: String) async throws {
    try await RunningService.run { service, _ in
      let path = "/_/\(options)/plain/http://example.com/a.png"
      let response = await service.service.response(to: ServiceRequest(path: path))
      let text = String(buffer: response.body)
      #expect(response.status == 400 && text.hasSuffix("\n"))
      let hasInvisible = text.dropLast().unicodeScalars.contains { scalar in
        [.control, .format, .lineSeparator].contains(scalar.properties.generalCategory)
      }
      #expect(!hasInvisible, "\(text)")
    }
  }
}

/// Keeps an embedded channel open whose output is closed.
private final class HalfClosure: ChannelOutboundHandler {
  typealias OutboundIn = HTTPServerResponsePart

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .all { context.close(promise: promise) }
  }
}
