import NIOCore
import NIOHTTP1

/// Closes a connection on which nothing happens: no request, no work for one, and no bytes that its client has to read, for
/// which ``WriteTimeout`` gives it some time.
final class IdleTimeout: ServerPartsHandler {
  private let timeout: TimeAmount
  private let unreadByteCount: (any Channel) -> Int
  private var lastActive = NIODeadline.now()
  /// Requests whose response has not been written.
  private var openCount = 0
  private var check: Scheduled<Void>?

  /// - Parameter unreadByteCount: The bytes that a channel has not been able to send yet.
  init(
    _ timeout: TimeAmount,
    unreadByteCount: @escaping (any Channel) -> Int = {
      (try? $0.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
  ) {
    (self.timeout, self.unreadByteCount) = (timeout, unreadByteCount)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    lastActive = context.eventLoop.now
    schedule(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastActive = context.eventLoop.now
    if case .head = unwrapInboundIn(data) { openCount += 1 }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    lastActive = context.eventLoop.now
    if case .end = unwrapOutboundIn(data) { openCount -= 1 }
    context.write(data, promise: promise)
  }

  private func schedule(_ context: ChannelHandlerContext) {
    check = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastActive + timeout) { [weak self] in
      self?.closeIfIdle(context)
    }
  }

  private func closeIfIdle(_ context: ChannelHandlerContext) {
    if openCount > 0 || unreadByteCount(context.channel) > 0 { lastActive = context.eventLoop.now }
    guard context.eventLoop.now < lastActive + timeout else { return context.close(promise: nil) }
    schedule(context)
  }
}
