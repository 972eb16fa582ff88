import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Applies the rules of HTTP/1 that need a request as it was sent (RFC 9112), between the decoder and the conversion to
/// HTTP types: a client of HTTP/1.0 that does not ask for more gets one response, and so does a request without exactly
/// one `Host`, which is an error.
final class RequestRules: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// The target that stands for a request to refuse, whose response is sent in its turn. No image has it.
  static let refusedTarget = "*"

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    let isOld = head.version == .http1_0
    let hostCount = head.headers[canonicalForm: "Host"].count
    let isRefused = hostCount > 1 || hostCount == 0 && !isOld
    if isRefused { head.uri = Self.refusedTarget }
    if isRefused || isOld && !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// Adds ``RequestRules`` before the handler that converts requests to HTTP types, which the server adds first.
final class RequestRulesSetup: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = Any

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    guard let conversion = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self),
      (try? pipeline.addHandler(RequestRules(), position: .before(conversion))) != nil
    else { return context.close(promise: nil) }
  }
}
