import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The handlers of a connection.
struct ServiceChannel: ServerChildChannel, HTTPChannelHandler {
  let responder: HTTPChannelHandler.Responder
  let service: ImageService
  let configuration: ServiceConfiguration
  let connections: ClientConnections
  let unread: UnreadBodies
  /// Whether only the health and the metrics of the service are served.
  var isMonitoring = false

  func setup(
    channel: any Channel, logger: Logger
  ) -> EventLoopFuture<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let requestTimeout = RequestTimeout(TimeAmount(configuration.readTimeout))
      try pipeline.addHandler(requestTimeout)
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
      try pipeline.addHandlers([
        requestTimeout.requestEnd, WriteTimeout(TimeAmount(configuration.writeTimeout), unread: unread),
        IdleTimeout(TimeAmount(configuration.keepAliveTimeout)),
        RequestRules(isDraining: { service.monitor.isStopping }),
        HTTP1ToHTTPServerCodec(secure: false), connections.handler(),
      ])
      if !isMonitoring { try pipeline.addHandler(FastResponses(service: service)) }
      try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
      return try NIOAsyncChannel(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  func handle(value channel: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, logger: Logger) async {
    await handleHTTP(asyncChannel: channel, logger: logger)
  }
}

/// A handler of the parts of requests and responses.
protocol ServerPartsHandler: ChannelDuplexHandler, RemovableChannelHandler
where
  InboundIn == HTTPServerRequestPart, InboundOut == HTTPServerRequestPart, OutboundIn == HTTPServerResponsePart,
  OutboundOut == HTTPServerResponsePart
{}
