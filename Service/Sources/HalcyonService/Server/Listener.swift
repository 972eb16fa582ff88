import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOHTTPTypes
import NIOPosix
import ServiceLifecycle

/// Accepts connections at an address.
struct Listener: Service {
  enum Address {
    case socket(path: String)
    case host(ListeningAddress)
  }

  private typealias Server = NIOAsyncChannel<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, Never>

  let address: Address
  /// The handlers of a connection.
  let connection: ServiceChannel
  /// The most connections; others wait.
  var connectionLimit = Int.max
  let logger: Logger
  /// Called with the port once connections are accepted; 0 for a Unix domain socket.
  let onListening: @Sendable (Int) -> Void

  /// Serves until the service is asked to stop, and its connections have ended.
  ///
  /// - Throws: ``ConfigurationError/unusableAddress(_:reason:)``
  func run() async throws {
    let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)
    let server = try await server(quiescing)
    onListening(server.channel.localAddress?.port ?? 0)
    await withGracefulShutdownHandler {
      await withDiscardingTaskGroup { group in
        do {
          try await server.executeThenClose { clients in
            for try await client in clients {
              group.addTask { await connection.handle(value: client, logger: logger) }
            }
          }
        } catch {
          logger.error("No more connections are accepted", metadata: ["error": "\(error)"])
        }
      }
    } onGracefulShutdown: {
      quiescing.initiateShutdown(promise: nil)
    }
  }

  private func server(_ quiescing: ServerQuiescingHelper) async throws(ConfigurationError) -> Server {
    do {
      switch address {
      case .socket(let path):
        return try await bootstrap(quiescing).bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true) {
          connection.setup(channel: $0, logger: logger)
        }
      case .host(let address): return try await server(quiescing, at: address)
      }
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
      throw .unusableAddress(address.description, reason: reason ?? "\(error)")
    }
  }

  private func server(_ quiescing: ServerQuiescingHelper, at address: ListeningAddress) async throws -> Server {
    do {
      return try await bootstrap(quiescing).bind(to: try address.socketAddress) {
        connection.setup(channel: $0, logger: logger)
      }
    } catch let error as IOError
      where address.host == "::" && [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.errnoCode)
    {
      // Without IPv6 all addresses are those of IPv4.
      return try await server(quiescing, at: ListeningAddress(host: "0.0.0.0", port: address.port))
    }
  }

  private func bootstrap(_ quiescing: ServerQuiescingHelper) -> ServerBootstrap {
    ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .serverChannelInitializer { [connectionLimit, logger] server in
        server.eventLoop.makeCompletedFuture {
          let limit = MaximumAvailableConnections(connectionLimit, logger: logger)
          try server.pipeline.syncOperations.addHandler(AvailableConnectionsChannelHandler(delegate: limit))
          try server.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: server))
        }
      }
  }
}

extension Listener.Address: CustomStringConvertible {
  var description: String {
    switch self {
    case .socket(let path): path
    case .host(let address): "\(address)"
    }
  }
}
