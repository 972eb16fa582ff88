import Foundation
import HalcyonSupport
import NIOCore
import NIOPosix

/// Asks a running service for its health, as container engines and process supervisors do.
public struct HealthCheck: Sendable {
  private static let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  private let configuration: ServiceConfiguration
  private let timeout: Duration

  /// Creates a check of the service with these settings on this machine.
  ///
  /// - Parameter timeout: The longest time for the response. Default: 5 seconds.
  public init(_ configuration: ServiceConfiguration, timeout: Duration = .seconds(5)) {
    (self.configuration, self.timeout) = (configuration, timeout)
  }

  /// Whether the service responds with the status 200.
  public func isHealthy() async -> Bool {
    let beginning = try? await SystemTime().limiting(to: timeout, orThrow: { CancellationError() }) {
      var hosts = hosts[...]
      while let host = hosts.popFirst() {
        do { return try await response(of: host) } catch { if hosts.isEmpty { throw error } }
      }
      return ""
    }
    return beginning?.hasPrefix("HTTP/1.1 200 ") == true
  }

  private func response(of host: String) async throws -> String {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    let connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    if let path = configuration.socketPath {
      connection = try await bootstrap.connect(unixDomainSocketPath: path) { Self.wrap($0) }
    } else {
      connection = try await bootstrap.connect(host: host, port: configuration.port) { Self.wrap($0) }
    }
    return try await connection.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: Self.request))
      var response = ByteBuffer()
      for try await piece in inbound { response.writeImmutableBuffer(piece) }
      return String(buffer: response)
    }
  }

  /// Addresses of this machine, where the service listens on all of them.
  private var hosts: [String] {
    switch configuration.host {
    case "0.0.0.0", "": ["127.0.0.1"]
    // It has only those of IPv4, where the machine has no others.
    case "::": ["127.0.0.1", "::1"]
    default: [configuration.host]
    }
  }

  private static func wrap(_ channel: any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
    channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
  }
}
