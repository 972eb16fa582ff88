import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import UnixSignals

/// An image service on an HTTP server.
public struct ServiceServer: Service {
  private let configuration: ServiceConfiguration
  private let service: ImageService
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void
  private let onMetricsListening: @Sendable (Int) -> Void

  /// Creates a server for a service.
  ///
  /// - Parameters:
  ///   - onMetricsListening: Called with the port of ``ServiceConfiguration/metricsAddress``.
  ///   - onListening: Called with the port once the server accepts connections; 0 for a Unix domain socket.
  public init(
    _ service: ImageService, configuration: ServiceConfiguration, logger: Logger,
    onMetricsListening: @escaping @Sendable (Int) -> Void = { _ in }, onListening: @escaping @Sendable (Int) -> Void
  ) {
    self.service = service
    self.configuration = configuration
    self.logger = logger
    self.onListening = onListening
    self.onMetricsListening = onMetricsListening
  }

  /// Serves until the task is cancelled or shut down gracefully.
  ///
  /// After that `/ready` responds with 503 for the time of ``ServiceConfiguration/drain``, while connections are accepted
  /// and each ends with its next response; then requests in flight still get their responses.
  public func run() async throws {
    let server = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [application as any Service] + (metricsApplication.map { [$0] } ?? []), logger: quietLogger))
    // Detached, since it does not end at once when the caller's group ends gracefully.
    let running = Task.detached {
      do {
        try await server.run()
      } catch let error as IOError {
        // Thrown while the server starts; an error of a connection ends only the connection.
        throw ConfigurationError.unusableAddress(address, reason: String(cString: strerror(error.errnoCode)))
      }
    }
    try await withTaskCancellationHandler {
      try await withGracefulShutdownHandler {
        try await running.value
      } onGracefulShutdown: { [service] in
        service.stop()
        Task {
          await service.drain()
          await server.triggerGracefulShutdown()
        }
      }
    } onCancel: {
      running.cancel()
    }
    await service.close()
  }

  private var address: String {
    let addresses = [
      configuration.socketPath ?? "\(ListeningAddress(host: configuration.host, port: configuration.port))",
      configuration.metricsAddress.map { "\($0)" },
    ]
    return addresses.compactMap(\.self).joined(separator: " or ")
  }

  private var metricsApplication: (any Service)? {
    guard let address = configuration.metricsAddress else { return nil }
    return Application(
      responder: CallbackResponder { [service] (request: Request, _: Context) in
        let received = ServiceRequest(method: request.method, path: Self.path(request.head.path ?? "/"))
        return Self.response(service.monitor.response(to: received), isHead: request.method == .head)
      },
      server: HTTPServerBuilder { [service, configuration] responder in
        ServiceChannel(
          responder: responder, service: service, configuration: configuration, connections: ClientConnections(),
          unread: UnreadBodies(byteLimit: configuration.unreadByteLimit), isMonitoring: true)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(address.hostToBind, port: address.port), serverName: nil),
      onServerRunning: { [onMetricsListening] channel in onMetricsListening(channel.localAddress?.port ?? 0) },
      logger: quietLogger)
  }

  private var application: some ApplicationProtocol {
    let connections = ClientConnections()
    let unread = UnreadBodies(byteLimit: configuration.unreadByteLimit)
    return Application(
      responder: CallbackResponder { [service] (request: Request, context: Context) in
        let received = ServiceRequest(
          method: request.method, path: Self.path(request.head.path ?? "/"), headers: request.headers,
          client: context.channel.remoteAddress?.ipAddress)
        let response = await connections.run(for: context.channel) { await service.response(to: received) }
        return Self.response(response, isHead: request.method == .head)
      },
      server: HTTPServerBuilder { [service, configuration] responder in
        ServiceChannel(
          responder: responder, service: service, configuration: configuration, connections: connections,
          unread: unread)
      },
      configuration: ApplicationConfiguration(
        address: configuration.socketPath.map { .unixDomainSocket(path: $0) }
          ?? .hostname(
            ListeningAddress(host: configuration.host, port: configuration.port).hostToBind, port: configuration.port),
        serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(configuration.connectionLimit, logger: quietLogger)),
      onServerRunning: { [onListening] channel in onListening(channel.localAddress?.port ?? 0) },
      logger: quietLogger)
  }

  /// Errors of single connections are the clients' affair.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .error)
    return logger
  }

  /// Serves until SIGTERM, SIGINT or SIGHUP.
  public func runUntilSignal() async throws {
    var group = ServiceGroupConfiguration(
      services: [self], gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: quietLogger)
    group.maximumGracefulShutdownDuration = configuration.drain + configuration.deadline * 2
    try await ServiceGroup(configuration: group).run()
  }

  /// The path of a request target.
  static func path(_ target: String) -> String { String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })) }

  private static func response(_ response: ServiceResponse, isHead: Bool) -> Response {
    var headers = response.headers
    let hasBody = ![204, 304].contains(response.status)
    if hasBody { headers[.contentLength] = "\(response.body.readableBytes)" }
    let body = isHead || !hasBody ? ResponseBody() : ResponseBody(byteBuffer: response.body)
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
