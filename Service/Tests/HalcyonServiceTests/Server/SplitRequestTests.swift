import Foundation
import HTTPTypes
import HalcyonTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Bytes that a client sends, and who responds to each of their requests.
struct Conversation: CustomTestStringConvertible, Sendable {
  enum Responder: Equatable, Sendable {
    /// A result in memory.
    case memory
    /// The server, which has received this body.
    case server(body: String = "")
  }

  let testDescription: String
  let bytes: Data
  let responders: [Responder]

  init(_ name: String, _ requests: (text: String, responder: Responder)...) {
    testDescription = name
    bytes = Data(requests.map(\.text).joined().utf8)
    responders = requests.map(\.responder)
  }
}

/// Requests that arrive in pieces: wherever the bytes are split, the responses are the same.
@Suite(.unitTest)
struct SplitRequestTests {
  private static let small = "/_/rs:fill:20:20/plain/local:///a.png@png"
  private static let large = "/_/rs:fill:40:40/plain/local:///a.png@png"

  private static func get(_ path: String, _ fields: String = "", body: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\nX-Request-ID: a\r\n\(fields)\r\n\(body)"
  }

  static let conversations = [
    Conversation("a request", (get(small), .memory)),
    Conversation("two requests", (get(small), .memory), (get(large), .memory)),
    Conversation(
      "requests that the server responds to", (get(small), .memory), (get("/other"), .server()), (get(large), .memory),
      (get("/other"), .server())),
    Conversation(
      "a body that looks like a request",
      (
        get(small, "Content-Length: \(get(large).utf8.count)\r\n", body: get(large)),
        .server(body: get(large))
      ), (get(small), .memory)),
    Conversation(
      "a chunked body", (get(large), .memory),
      (get(small, "Transfer-Encoding: chunked\r\n", body: "3\r\nGET\r\n2\r\n /\r\n0\r\n\r\n"), .server(body: "GET /")),
      (get(large), .memory)),
    Conversation(
      "an empty body", (get(small, "Content-Length: 0\r\n"), .server()), (get(large), .memory)),
    Conversation("a last request", (get(small), .memory), (get(large, "Connection: close\r\n"), .server())),
  ]

  @Test(arguments: conversations)
  func `the responses do not depend on how the bytes are split`(conversation: Conversation) async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.png().write(to: folder.appending(path: "a.png"))
      var configuration = ServiceConfiguration()
      (configuration.isInsecure, configuration.localRoot) = (true, folder)
      configuration.cacheDirectory = folder.appending(path: "cache", directoryHint: .isDirectory)
      // Its time stands still, so that results stay in memory and dates are the same.
      let service = try await ImageService(configuration, logger: .silent, time: TestClock())
      for path in [Self.small, Self.large] { _ = await service.response(to: ServiceRequest(path: path)) }
      try check(conversation, service)
      await service.close()
    }
  }

  private func check(_ conversation: Conversation, _ service: ImageService) throws {
    let bytes = conversation.bytes
    let whole = try responses(to: [bytes], service)
    #expect(whole.map(Self.responder) == conversation.responders)
    for index in 1..<bytes.count {
      #expect(try responses(to: [bytes.prefix(index), bytes.dropFirst(index)], service) == whole, "split at \(index)")
    }
    #expect(try responses(to: bytes.map { Data([$0]) }, service) == whole, "byte by byte")
  }

  private static func responder(_ response: RawResponse) -> Conversation.Responder {
    response.headers["cache-status"] == "halcyon; hit"
      ? .memory : .server(body: String(decoding: response.body, as: UTF8.self))
  }

  /// The responses to pieces of bytes on one connection.
  private func responses(to pieces: [Data], _ service: ImageService) throws -> [RawResponse] {
    let channel = EmbeddedChannel()
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
    try pipeline.addHandlers([HTTP1ToHTTPServerCodec(secure: false), FastResponses(service: service), EchoServer()])
    // The first request of a connection always passes through.
    for piece in [Data(Self.get("/first").utf8)] + pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
    var received = Data()
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { received += buffer.readableBytesView }
    _ = try channel.finish()
    var responses: [RawResponse] = []
    while let response = RawResponse(removedFrom: &received) { responses.append(response) }
    #expect(received.isEmpty)
    return Array(responses.dropFirst())
  }
}

/// Responds to each request with its body.
private final class EchoServer: ChannelInboundHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundOut = HTTPResponsePart

  private var body = ByteBuffer()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: body.clear()
    case .body(var piece): body.writeBuffer(&piece)
    case .end:
      let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "\(body.readableBytes)"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(body)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
