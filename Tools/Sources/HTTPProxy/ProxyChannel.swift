import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// HTTP/1.1 with the framing that the proxy says.
///
/// Hummingbird's own channel frames every answer by itself, and so sends the end of a chunked body after the answer to
/// a HEAD whose length is not known, which the client takes for the next answer.
struct ProxyChannel: ServerChildChannel, HTTPChannelHandler {
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
  mutating func frame(for method: HTTPRequest.Method) {
    switch status.code {
    case 204, 304: headers[.contentLength] = nil
    default:
      if method != .head, !headers.contains(.contentLength) { headers[.transferEncoding] = "chunked" }
    }
  }
}
