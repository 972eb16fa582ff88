import NIOCore
import NIOHTTP1

/// Closes a connection whose client does not end a request in time, body included, however often it sends a part of it.
///
/// It consists of two handlers: ``RequestTimeout`` before the HTTP decoder sees bytes, ``RequestEnd`` behind the decoder
/// sees the parts of requests.
final class RequestTimeout: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let timeout: TimeAmount
  /// Whether the current bytes contained the end of a request.
  private var hasSeenEnd = false
  private var check: Scheduled<Void>?

  init(_ timeout: TimeAmount) { self.timeout = timeout }

  /// The handler for behind the decoder.
  var requestEnd: some ChannelInboundHandler & RemovableChannelHandler { RequestEnd(self) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // If these bytes end a request, the time of the next one begins with the bytes that follow.
    hasSeenEnd = false
    context.fireChannelRead(data)
    guard !hasSeenEnd, check == nil else { return }
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

  fileprivate func endRequest() {
    hasSeenEnd = true
    cancel()
  }
}

private final class RequestEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart

  private let timeout: RequestTimeout

  init(_ timeout: RequestTimeout) { self.timeout = timeout }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) { timeout.endRequest() }
    context.fireChannelRead(data)
  }
}
