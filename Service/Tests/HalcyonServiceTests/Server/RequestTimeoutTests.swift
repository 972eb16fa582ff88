import NIOCore
import NIOEmbedded
import NIOHTTP1
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct RequestTimeoutTests {
  private let channel = EmbeddedChannel()
  private let loop: EmbeddedEventLoop

  init() throws {
    loop = channel.embeddedEventLoop
    let timeout = RequestTimeout(.seconds(10))
    try channel.pipeline.syncOperations.addHandler(timeout)
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
    try channel.pipeline.syncOperations.addHandlers([timeout.requestEnd])
    channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
  }

  private func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

  @Test(
    arguments: [
      ("", "X: a\r\n"), ("Content-Length: 1000\r\n\r\n", "1"), ("Transfer-Encoding: chunked\r\n\r\n", "1"),
    ])
  func `a client that sends its request piece by piece has ten seconds for it`(rest: String, piece: String) throws {
    try receive("GET / HTTP/1.1\r\nHost: a\r\n" + rest)
    for _ in 0..<3 {
      loop.advanceTime(by: .seconds(3))
      try receive(piece)
    }
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `each request of a connection has its own time`() throws {
    for _ in 0..<3 {
      try receive("POST / HTTP/1.1\r\nHost: a\r\n")
      loop.advanceTime(by: .seconds(5))
      try receive("Content-Length: 2\r\n\r\na")
      loop.advanceTime(by: .seconds(4))
      try receive("b")
      loop.advanceTime(by: .seconds(100))
      #expect(channel.isActive)
    }
    try receive("GET")
    loop.advanceTime(by: .seconds(10))
    #expect(!channel.isActive)
  }

  @Test func `a head that began with the request before it does not last either`() throws {
    try receive("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n")
    loop.advanceTime(by: .seconds(60))
    #expect(channel.isActive)
    try receive("X: a\r\n")
    loop.advanceTime(by: .seconds(10))
    #expect(!channel.isActive)
  }
}
