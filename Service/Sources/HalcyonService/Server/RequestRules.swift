import NIOCore
import NIOHTTP1

/// The rules of RFC 9112 about hosts and about the end of a connection, which the parser leaves to the server.
///
/// It stands right behind the HTTP decoder, where a request still has its version and all its fields.
final class RequestRules: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// How long the rest of a request is read after the last response, so that its client sees the response.
  private static let linger = TimeAmount.seconds(2)

  /// Whether connections end with their next response.
  private let isDraining: () -> Bool

  /// The `Connection` fields of the responses to the requests that have none yet.
  private var connectionFields = CircularBuffer<String?>()
  /// Whether the current request goes on to the server.
  private var isPassing = false
  /// Whether no further request is accepted.
  private var isOver = false
  /// Whether the current response is the last one, though its request did not ask to close the connection.
  private var isClosing = false

  init(isDraining: @escaping () -> Bool) { self.isDraining = isDraining }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      guard !isOver else { return }
      guard head.hasValidHost else {
        isOver = true
        // Responded to with 400, after the responses to earlier requests.
        return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
      }
      isPassing = true
      isOver = !head.isKeepAlive || isDraining()
      // The server looks for this spelling.
      if isOver { head.headers.replaceOrAdd(name: "connection", value: "close") }
      connectionFields.append(isOver ? "close" : head.version == .http1_0 ? "keep-alive" : nil)
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body:
      if isPassing { context.fireChannelRead(data) }
    case .end:
      if isPassing { context.fireChannelRead(data) }
      isPassing = false
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      if let field = connectionFields.first ?? nil { head.headers.replaceOrAdd(name: "connection", value: field) }
      isClosing = connectionFields.first.map { $0 != "close" } == true && !head.isKeepAlive
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      _ = connectionFields.popFirst()
      context.write(data, promise: isClosing ? closing(context, promise) : promise)
    case .head, .body:
      context.write(data, promise: promise)
    }
  }

  /// Ends the connection when the response has been sent: what the client still sends is dropped for some time.
  private func closing(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) -> EventLoopPromise<Void> {
    (isOver, isPassing) = (true, false)
    let (loop, promise) = (context.eventLoop.assumeIsolated(), promise ?? context.eventLoop.makePromise())
    promise.futureResult.assumeIsolated().whenComplete { _ in
      context.close(mode: .output, promise: nil)
      loop.scheduleTask(in: Self.linger) { context.close(promise: nil) }
    }
    return promise
  }
}

extension HTTPRequestHead {
  /// Whether the request names one host; requests of HTTP/1.0 may name none (RFC 9112, 3.2).
  fileprivate var hasValidHost: Bool {
    let hosts = headers["host"]
    guard let host = hosts.first else { return version == .http1_0 }
    return hosts.count == 1 && host.utf8.allSatisfy { (33...126).contains($0) && !"/?#@,\\\"<>".utf8.contains($0) }
  }
}
