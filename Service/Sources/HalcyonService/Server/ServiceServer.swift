import Foundation
import HTTPTypes
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
        services: [imageListener] + (metricsListener.map { [$0] } ?? []), logger: quietLogger))
    // Detached, since it does not end at once when the caller's group ends gracefully.
    let running = Task.detached { try await server.run() }
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

  private var imageListener: Listener {
    let connections = ClientConnections()
    let channel = channel(connections) { [service] request, channel in
      await connections.run(for: channel) { await service.response(to: request) }
    }
    let host = ListeningAddress(host: configuration.host, port: configuration.port)
    return Listener(
      address: configuration.socketPath.map { .socket(path: $0) } ?? .host(host), connection: channel,
      connectionLimit: configuration.connectionLimit, logger: quietLogger, onListening: onListening)
  }

  private var metricsListener: Listener? {
    configuration.metricsAddress.map { address in
      let channel = channel(ClientConnections(), isMonitoring: true) { [service] request, _ in
        service.monitor.response(to: request)
      }
      return Listener(
        address: .host(address), connection: channel, logger: quietLogger, onListening: onMetricsListening)
    }
  }

  private func channel(
    _ connections: ClientConnections, isMonitoring: Bool = false,
    _ response: @escaping @Sendable (ServiceRequest, any Channel) async -> ServiceResponse
  ) -> ServiceChannel {
    ServiceChannel(
      responder: { [service] (request: Request, writer: consuming ResponseWriter, channel: any Channel) in
        let head = request.head
        let received = ServiceRequest(
          method: head.method, path: Self.path(head.path ?? "/"), headers: head.headerFields,
          client: channel.remoteAddress?.ipAddress)
        let response = await response(received, channel)
        let isSent = response.hasBody && head.method != .head
        try await writer.write(
          response: response.head(date: service.date),
          body: isSent ? ResponseBody(byteBuffer: response.body) : ResponseBody())
      }, service: service, configuration: configuration, connections: connections,
      unread: UnreadBodies(byteLimit: configuration.unreadByteLimit), isMonitoring: isMonitoring)
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
}
