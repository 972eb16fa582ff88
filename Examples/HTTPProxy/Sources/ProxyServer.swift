import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// An HTTP server on 127.0.0.1 in front of the proxy.
struct ProxyServer {
  let proxy: CachingProxy
  /// The port to listen on; 0 for any free port.
  let port: Int

  /// Serves until SIGINT or SIGTERM.
  func run() async throws {
    let logger = Logger(label: "halcyon-http-proxy") { StreamLogHandler.standardError(label: $0) }
    // Not Hummingbird's `Application`, which would add a `Date` field of its own to every response.
    let server = try HTTPServerBuilder { ProxyChannel(responder: $0) }.buildServer(
      configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet(logger),
      responder: { [proxy] request, writer, _ in
        var response = await proxy.response(to: request)
        response.frame(for: request.method)
        // A response to HEAD has no body, not even an error text.
        let body = request.method == .head ? ResponseBody() : response.body
        try await writer.write(response: response.head, body: body)
      },
      onServerRunning: { channel in
        print("Listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
        fflush(nil)
      })
    let group = ServiceGroup(
      configuration: .init(
        services: [server], gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet(logger)))
    try await group.run()
  }

  /// Logs errors only: standard output has the server's address and nothing else.
  private func quiet(_ logger: Logger) -> Logger {
    var logger = logger
    logger.logLevel = .error
    return logger
  }
}

/// HTTP/1.1 with message framing under the proxy's control.
///
/// Hummingbird's own channel frames every response itself. After a response to HEAD of unknown length it sends the last
/// chunk of a chunked body, which the client takes for the next response.
private struct ProxyChannel: ServerChildChannel, HTTPChannelHandler {
  let responder: HTTPChannelHandler.Responder

  func setup(
    channel: any Channel, logger: Logger
  ) -> EventLoopFuture<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>> {
    channel.eventLoop.makeCompletedFuture {
      var encoding = HTTPResponseEncoder.Configuration()
      encoding.automaticallySetFramingHeaders = false
      let pipeline = channel.pipeline.syncOperations
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
        withEncoderConfiguration: encoding)
      try pipeline.addHandlers([
        UpgradeRule(), HTTP1ToHTTPServerCodec(secure: false), HTTPConnectionStateHandler(logger: logger),
      ])
      return try NIOAsyncChannel(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  func handle(value channel: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, logger: Logger) async {
    await handleHTTP(asyncChannel: channel, logger: logger)
  }
}

extension Response {
  /// Sets the message framing of the body: by length or chunked (RFC 9112, 6.3).
  fileprivate mutating func frame(for method: HTTPRequest.Method) {
    switch status.code {
    case 204, 304: headers[.contentLength] = nil
    default:
      if method != .head, !headers.contains(.contentLength) { headers[.transferEncoding] = "chunked" }
    }
  }
}

/// Makes a request with `Upgrade`, which is ignored, and CONNECT the last one of its connection: the parser reads nothing
/// after them.
private final class UpgradeRule: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data),
      head.method == .CONNECT || head.headers.contains(name: "upgrade")
    else { return context.fireChannelRead(data) }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
