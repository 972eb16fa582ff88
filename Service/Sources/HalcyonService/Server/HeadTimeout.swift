import NIOCore
import NIOHTTP1

/// Closes a connection whose client does not end the head of a request in time, however often it sends a part of it.
///
/// It consists of two handlers: ``HeadTimeout`` before the HTTP decoder sees bytes, ``HeadEnd`` behind the decoder sees
/// the parts of requests.
final class HeadTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let timeout: TimeAmount
  /// Whether the decoder is between requests, or in a head.
  private var awaitsHead = true
  /// Whether the current bytes contained the end of a head.
  private var hasSeenHead = false
  private var check: Scheduled<Void>?

  init(_ timeout: TimeAmount) { self.timeout = timeout }

  /// The handler for behind the decoder.
  var headEnd: some ChannelInboundHandler & RemovableChannelHandler { HeadEnd(self) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // If these bytes end a request, the time of the next head begins with the bytes that follow.
    hasSeenHead = !awaitsHead
    context.fireChannelRead(data)
    guard !hasSeenHead, check == nil else { return }
    check = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancel() }

  private func cancel() {
    check?.cancel()
    check = nil
  }

  fileprivate func receive(_ part: HTTPServerRequestPart) {
    switch part {
    case .head:
      (awaitsHead, hasSeenHead) = (false, true)
      cancel()
    case .body: break
    case .end: awaitsHead = true
    }
  }
}

private final class HeadEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let timeout: HeadTimeout

  init(_ timeout: HeadTimeout) { self.timeout = timeout }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    timeout.receive(unwrapInboundIn(data))
    context.fireChannelRead(data)
  }
}
