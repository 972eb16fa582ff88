import NIOCore
import NIOEmbedded
import NIOHTTP1
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct IdleTimeoutTests {
  private let channel = EmbeddedChannel()
  private let loop: EmbeddedEventLoop
  private let unread = UnreadBytes()

  init() throws {
    loop = channel.embeddedEventLoop
    try channel.pipeline.syncOperations.addHandler(
      IdleTimeout(.seconds(10)) { [unread] _ in unread.count })
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
  }

  private func request() throws {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
  }

  private func respond() {
    channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
    channel.write(HTTPServerResponsePart.end(nil), promise: nil)
  }

  @Test func `a connection without requests is closed`() throws {
    loop.advanceTime(by: .seconds(9))
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `a connection stays open while its request is worked on, and some time after the response`() throws {
    loop.advanceTime(by: .seconds(9))
    try request()
    loop.advanceTime(by: .seconds(1000))
    respond()
    loop.advanceTime(by: .seconds(9))
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(20))
    #expect(!channel.isActive)
  }

  @Test func `a client that has bytes to read is not idle`() throws {
    try request()
    respond()
    unread.count = 100
    loop.advanceTime(by: .seconds(1000))
    #expect(channel.isActive)
    unread.count = 0
    loop.advanceTime(by: .seconds(20))
    #expect(!channel.isActive)
  }
}

/// The bytes that a client has not read.
private final class UnreadBytes {
  var count = 0
}
