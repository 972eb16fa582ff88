import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
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
