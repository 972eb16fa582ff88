import NIOCore
import NIOHTTP1

/// Closes a connection whose client does not read a response in time, however often it reads a part of it.
///
/// Meanwhile the bodies of the responses count as unread.
final class WriteTimeout: ServerPartsHandler {
  private let timeout: TimeAmount
  private let unread: UnreadBodies
  /// The responses that have been written and not been sent, with their bodies.
  private var responses = CircularBuffer<[ByteBuffer]>()
  /// The body of the response that is being written.
  private var body: [ByteBuffer] = []
  private var check: Scheduled<Void>?

  init(_ timeout: TimeAmount, unread: UnreadBodies) { (self.timeout, self.unread) = (timeout, unread) }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head: context.write(data, promise: promise)
    case .body(let part):
      if case .byteBuffer(let buffer) = part { body.append(buffer) }
      context.write(data, promise: promise)
    case .end:
      responses.append(body)
      body = []
      let promise = promise ?? context.eventLoop.makePromise()
      promise.futureResult.assumeIsolated().whenComplete { _ in self.finishResponse(context) }
      context.write(data, promise: promise)
    }
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    // Most responses have been sent now.
    guard check == nil, !responses.isEmpty else { return }
    schedule(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancel(context) }

  func channelInactive(context: ChannelHandlerContext) {
    cancel(context)
    context.fireChannelInactive()
  }

  /// Gives the client time for the first response that it has not read.
  private func schedule(_ context: ChannelHandlerContext) {
    check = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) { context.close(promise: nil) }
    unread.set(responses.flatMap(\.self), of: context.channel)
  }

  private func finishResponse(_ context: ChannelHandlerContext) {
    _ = responses.popFirst()
    guard check != nil else { return }
    cancel(context)
    if !responses.isEmpty { schedule(context) }
  }

  private func cancel(_ context: ChannelHandlerContext) {
    guard let check else { return }
    check.cancel()
    self.check = nil
    unread.set([], of: context.channel)
  }
}
