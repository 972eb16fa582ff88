import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Responds to requests for results in memory on the thread of their connection, without a task.
///
/// All other requests pass through, and so do those that follow one that has no response yet: responses keep the order of
/// their requests.
final class FastResponses: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// After this time a request passes through, so that the server sees that the connection is in use.
  private static let passInterval = TimeAmount.seconds(20)

  private let service: ImageService
  /// Requests that have passed through and have no response yet.
  private var passedCount = 0
  /// Whether the rest of the current request is dropped, after its response.
  private var isDropping = false
  private var nextPass = NIODeadline.now()
  private var closesAfterResponse = false
  /// How many beginnings and ends of requests have arrived.
  private(set) var counts = (heads: 0, ends: 0)
  /// The bytes that the parser reads now, if they began with a request.
  var currentBytes: ByteBuffer?

  init(service: ImageService) { self.service = service }

  /// Whether all requests have their responses.
  var isIdle: Bool { passedCount == 0 && !isDropping && !closesAfterResponse }

  /// Whether a request may be answered here. A client that does not read its responses is left to the server, which waits
  /// for it.
  func mayRespond(on channel: any Channel) -> Bool { channel.isWritable && NIODeadline.now() < nextPass }

  func handlerAdded(context: ChannelHandlerContext) {
    let repeated = RepeatedRequestHandler(service: service, parsed: self)
    // Without it, every request is parsed.
    try? context.pipeline.syncOperations.addHandler(repeated, position: .first)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let request):
      counts.heads += 1
      guard let response = fastResponse(to: request, context) else {
        passedCount += 1
        nextPass = .now() + Self.passInterval
        return context.fireChannelRead(data)
      }
      isDropping = true
      closesAfterResponse = request.headerFields[.connection]?.lowercased() == "close"
      send(response, isHead: request.method == .head, context)
    case .body:
      if !isDropping { context.fireChannelRead(data) }
    case .end:
      counts.ends += 1
      guard isDropping else { return context.fireChannelRead(data) }
      isDropping = false
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { passedCount -= 1 }
    context.write(data, promise: promise)
  }

  private func fastResponse(to request: HTTPRequest, _ context: ChannelHandlerContext) -> CachedResponse? {
    guard passedCount == 0, !closesAfterResponse, mayRespond(on: context.channel) else { return nil }
    let cached = service.cachedResponse(
      to: ServiceRequest(
        method: request.method, path: ServiceServer.path(request.path ?? "/"), headers: request.headerFields))
    if let cached, let currentBytes { service.remember(cached, to: request, bytes: currentBytes) }
    return cached
  }

  private func send(_ cached: CachedResponse, isHead: Bool, _ context: ChannelHandlerContext) {
    let response = cached.response
    let hasBody = response.status != 304
    var headers = response.headers
    headers[.date] = service.date
    if hasBody { headers[.contentLength] = "\(response.body.count)" }
    if closesAfterResponse { headers[.connection] = "close" }
    let head = HTTPResponse(status: .init(code: response.status), headerFields: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if hasBody, !isHead {
      context.write(wrapOutboundOut(.body(context.channel.allocator.buffer(bytes: response.body))), promise: nil)
    }
    let end = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if closesAfterResponse {
      let channel = context.channel
      end.whenComplete { _ in channel.close(promise: nil) }
    }
  }
}
