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

/// Listens on 127.0.0.1 and hands every request to the proxy.
struct ProxyServer {
  let proxy: CachingProxy
  /// 0 takes a free one.
  let port: Int

  /// Serves until a signal ends it.
  func run() async throws {
    let logger = Logger(label: "halcyon-http-proxy") { StreamLogHandler.standardError(label: $0) }
    // Hummingbird's `Application` would put a `Date` of its own into every answer.
    let server = try HTTPServerBuilder { ProxyChannel(responder: $0) }.buildServer(
      configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet(logger),
      responder: { [proxy] request, writer, _ in
        var response = await proxy.response(to: request)
        response.frame(for: request.method)
        // What would be the body of a HEAD's answer, an error's text for example, is not sent.
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

  /// The address is all there is to say.
  private func quiet(_ logger: Logger) -> Logger {
    var logger = logger
    logger.logLevel = .error
    return logger
  }
}

/// HTTP/1.1 with the framing that the proxy says.
///
/// Hummingbird's own channel frames every answer by itself, and so sends the end of a chunked body after the answer to
/// a HEAD whose length is not known, which the client takes for the next answer.
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
        HTTP1ToHTTPServerCodec(secure: false), HTTPConnectionStateHandler(logger: logger),
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
  /// Says how the body ends: by its length, or in chunks (RFC 9112, 6.3).
  fileprivate mutating func frame(for method: HTTPRequest.Method) {
    switch status.code {
    case 204, 304: headers[.contentLength] = nil
    default:
      if method != .head, !headers.contains(.contentLength) { headers[.transferEncoding] = "chunked" }
    }
  }
}
