import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOFoundationCompat
public import ServiceLifecycle
import UnixSignals

/// An image service on an HTTP server.
public struct ServiceServer: Service {
  private let configuration: ServiceConfiguration
  private let service: ImageService
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// Creates a server for a service.
  ///
  /// - Parameter onListening: Called with the port once the server accepts connections.
  public init(
    _ service: ImageService, configuration: ServiceConfiguration, logger: Logger,
    onListening: @escaping @Sendable (Int) -> Void
  ) {
    self.service = service
    self.configuration = configuration
    self.logger = logger
    self.onListening = onListening
  }

  /// Serves until the task is cancelled or shut down gracefully: then requests in flight still get their responses.
  public func run() async throws {
    let connections = ClientConnections()
    var logger = logger
    // Errors of single connections are the clients' affair.
    logger.logLevel = max(logger.logLevel, .error)
    let application = Application(
      responder: CallbackResponder { [service] (request: Request, context: Context) in
        var received = ServiceRequest(
          method: request.method, path: Self.path(request.head.path ?? "/"), headers: request.headers)
        received.body = { limit in try await Data(buffer: request.body.collect(upTo: limit)) }
        let response = await connections.run(for: context.channel) { [received] in
          await service.response(to: received)
        }
        return Self.response(response, isHead: request.method == .head)
      },
      server: HTTPServerBuilder { [service] responder in
        ServiceChannel(responder: responder, service: service, connections: connections)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port), serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(configuration.connectionLimit, logger: logger)),
      onServerRunning: { [onListening] channel in onListening(channel.localAddress?.port ?? 0) },
      logger: logger)
    try await withGracefulShutdownHandler {
      try await application.run()
    } onGracefulShutdown: { [service] in
      service.stop()
    }
    await service.close()
  }

  /// Serves until SIGTERM or SIGINT.
  public func runUntilSignal() async throws {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .error)
    var group = ServiceGroupConfiguration(
      services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = configuration.deadline * 2
    try await ServiceGroup(configuration: group).run()
  }

  /// The path of a request target.
  static func path(_ target: String) -> String { String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })) }

  private static func response(_ response: ServiceResponse, isHead: Bool) -> Response {
    var headers = response.headers
    let hasBody = response.status != 304
    if hasBody { headers[.contentLength] = "\(response.body.count)" }
    let body = isHead || !hasBody ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
    var result = Response(status: .init(code: response.status), headers: headers, body: body)
    result.headers = headers
    return result
  }
}

/// The context of a request: its connection.
private struct Context: InitializableFromSource {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { channel = source.channel }
}
