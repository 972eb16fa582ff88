import NIOCore
import NIOHTTP1

/// The rules of RFC 9112 about hosts and about the end of a connection, which the parser leaves to the server.
///
/// Bodies are dropped, since no request needs one, and a connection ends with a response that precedes the end of its request.
///
/// `Upgrade` is ignored, as RFC 9110 (7.8) allows. The parser reads nothing after such a request, nor after CONNECT, so it is
/// the last one of its connection. It stands right behind the HTTP decoder, where a request still has its version and all its fields.
final class RequestRules: ServerPartsHandler {
  /// How long the rest of a request is read after the last response, so that its client sees the response.
  private static let linger = TimeAmount.seconds(2)

  /// Whether connections end with their next response.
  private let isDraining: () -> Bool

  /// What follows the response to a request.
  private struct Sequel {
    /// The `Connection` field of the response.
    let field: String?
    /// Whether the connection ends here, which the server does not see.
    let endsHere: Bool
  }

  /// Those of the requests that have no response yet.
  private var sequels = CircularBuffer<Sequel>()
  /// Whether the current request has gone on to the server, and its end has not.
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
      let isLast = !head.isKeepAlive || head.hasDoubtfulLength || isDraining()
      isOver = isLast || head.stopsParser
      // The server looks for this spelling.
      if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
      let field = isOver ? "close" : head.version == .http1_0 ? "keep-alive" : nil
      sequels.append(Sequel(field: field, endsHere: isOver && !isLast))
      // Results in memory are sent in here, before the end of a request that has no body.
      context.fireChannelRead(wrapInboundOut(.head(head)))
      isPassing = true
    case .body: break
    case .end:
      if isPassing { context.fireChannelRead(data) }
      isPassing = false
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200:
      let sequel = sequels.first
      let isEarly = isPassing && sequels.count == 1
      if let field = isEarly ? "close" : sequel?.field { head.headers.replaceOrAdd(name: "connection", value: field) }
      isClosing = isEarly || sequel.map { $0.endsHere || $0.field != "close" && !head.isKeepAlive } == true
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      _ = sequels.popFirst()
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
  /// Whether the parser reads no further request of the connection.
  fileprivate var stopsParser: Bool { method == .CONNECT || headers.contains(name: "upgrade") }

  /// Whether a proxy of HTTP/1.0 may have taken another length for the body's (RFC 9112, 6.1).
  fileprivate var hasDoubtfulLength: Bool { version == .http1_0 && headers.contains(name: "transfer-encoding") }

  /// Whether the request names one host; those of HTTP/1.0 may name none (RFC 9112, 3.2).
  fileprivate var hasValidHost: Bool {
    let hosts = headers["host"]
    guard let host = hosts.first else { return version == .http1_0 }
    return hosts.count == 1 && host.utf8.allSatisfy { (33...126).contains($0) && !"/?#@,\\\"<>".utf8.contains($0) }
  }
}
