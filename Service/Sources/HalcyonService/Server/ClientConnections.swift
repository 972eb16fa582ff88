import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Cancels the work for a request when its client closes the connection.
final class ClientConnections: Sendable {
  private let work = Mutex<[ObjectIdentifier: Task<ServiceResponse, Never>]>([:])

  /// Runs `body`, and cancels it when the channel's client leaves or the calling task is cancelled.
  func run(
    for channel: any Channel, _ body: @escaping @Sendable () async -> ServiceResponse
  ) async -> ServiceResponse {
    let id = ObjectIdentifier(channel)
    let task = Task { await body() }
    work.withLock { $0[id] = task }
    defer { work.withLock { $0[id] = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Notices that the client of a channel leaves.
  func handler() -> any RemovableChannelHandler { DepartureHandler(self) }

  fileprivate func clientLeft(_ channel: any Channel) {
    work.withLock { $0[ObjectIdentifier(channel)] }?.cancel()
  }
}

private final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPRequestPart

  private let connections: ClientConnections

  init(_ connections: ClientConnections) { self.connections = connections }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { connections.clientLeft(context.channel) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connections.clientLeft(context.channel)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    connections.clientLeft(context.channel)
    context.fireErrorCaught(error)
  }
}
