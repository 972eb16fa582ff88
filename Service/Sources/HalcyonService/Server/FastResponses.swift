import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Responds to requests for results in memory on the thread of their connection, without a task.
///
/// It stands behind the HTTP decoder and before the server. A request with a body, or on a connection that does not stay
/// open, passes through to the server, and so does one that follows a request without a response yet: responses keep the
/// order of their requests.
final class FastResponses: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let service: ImageService
  /// Requests that have passed through and have no response yet.
  private var passedCount = 0
  /// Whether the current request has its response, so that the server does not see its end either.
  private var hasResponded = false
  /// The IP address of the client.
  private var client: String?

  init(service: ImageService) { self.service = service }

  func handlerAdded(context: ChannelHandlerContext) { client = context.channel.remoteAddress?.ipAddress }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let request):
      if let response = response(to: request, on: context.channel) {
        hasResponded = true
        send(response, isHead: request.method == .head, context)
      } else {
        passedCount += 1
        context.fireChannelRead(data)
      }
    case .body:
      // Only requests that have passed through have a body.
      context.fireChannelRead(data)
    case .end:
      if !hasResponded { context.fireChannelRead(data) }
      hasResponded = false
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { passedCount -= 1 }
    context.write(data, promise: promise)
  }

  /// The response with a result in memory; `nil` for requests that have to pass through.
  ///
  /// A client that does not read its responses is left to the server, which waits for it.
  private func response(to request: HTTPRequest, on channel: any Channel) -> ServiceResponse? {
    guard passedCount == 0, request.keepsConnection, !request.hasBody, channel.isWritable else { return nil }
    return service.cachedResponse(
      to: ServiceRequest(
        method: request.method, path: ServiceServer.path(request.path ?? "/"), headers: request.headerFields,
        client: client))
  }

  private func send(_ response: ServiceResponse, isHead: Bool, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(response.head(date: service.date))), promise: nil)
    if response.hasBody, !isHead {
      context.write(wrapOutboundOut(.body(response.body)), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}

extension HTTPRequest {
  /// Whether the connection stays open after the response. The decoder accepts no request after the last one.
  fileprivate var keepsConnection: Bool { headerFields[.connection].map { $0.lowercased() == "keep-alive" } ?? true }

  /// Whether a body may follow the head (RFC 9112, 6.3).
  fileprivate var hasBody: Bool {
    headerFields.contains(.contentLength) || headerFields.contains(.transferEncoding)
  }
}
