import NIOCore
import NIOEmbedded
import NIOHTTP1
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct WriteTimeoutTests {
  /// A connection whose client reads nothing until it is told to.
  private final class Client: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart

    let channel = EmbeddedChannel()
    private var waiting = CircularBuffer<EventLoopPromise<Void>?>()

    init(_ timeout: TimeAmount, _ unread: UnreadBodies) throws {
      try channel.pipeline.syncOperations.addHandlers([self, WriteTimeout(timeout, unread: unread)])
      channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    var isOpen: Bool { channel.isActive }

    func respond(_ body: ByteBuffer) {
      channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
      channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
      channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) { waiting.append(promise) } else { promise?.succeed() }
    }

    /// Reads the oldest response to its end.
    func readResponse() { waiting.popFirst()??.succeed() }

    func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }
  }

  private let unread = UnreadBodies(byteLimit: 1000)

  private func body(_ byteCount: Int) -> ByteBuffer { ByteBuffer(repeating: 0, count: byteCount) }

  @Test func `a client that does not read its response in time loses its connection`() throws {
    let client = try Client(.seconds(10), unread)
    client.respond(body(128))
    client.pass(9)
    #expect(client.isOpen && unread.byteCount == 128)
    client.pass(1)
    #expect(!client.isOpen && unread.byteCount == 0)
  }

  @Test func `each response has its own time, and none is counted once it is read`() throws {
    let client = try Client(.seconds(10), unread)
    client.respond(body(128))
    client.respond(body(256))
    client.pass(9)
    client.readResponse()
    #expect(unread.byteCount == 256)
    client.pass(9)
    #expect(client.isOpen)
    client.readResponse()
    #expect(unread.byteCount == 0)
    client.pass(1000)
    #expect(client.isOpen)
    client.respond(body(64))
    client.pass(10)
    #expect(!client.isOpen)
  }

  @Test func `a body that many clients wait for counts once`() throws {
    let shared = body(512)
    let clients = try (0..<20).map { _ in try Client(.seconds(10), unread) }
    for client in clients { client.respond(shared) }
    #expect(unread.byteCount == 512 && clients.allSatisfy(\.isOpen))
    for client in clients.dropLast() { client.readResponse() }
    #expect(unread.byteCount == 512)
    clients.last?.readResponse()
    #expect(unread.byteCount == 0)
  }

  @Test func `beyond the limit those that have waited longest lose their connections`() throws {
    let clients = try (0..<4).map { _ in try Client(.seconds(10), unread) }
    for client in clients { client.respond(body(512)) }
    #expect(clients.map(\.isOpen) == [false, false, false, true] && unread.byteCount == 512)
    // One body may be larger than the limit.
    let large = try Client(.seconds(10), unread)
    large.respond(body(4096))
    #expect(large.isOpen && !clients[3].isOpen && unread.byteCount == 4096)
  }
}
