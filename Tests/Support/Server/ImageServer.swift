public import Foundation
import HalcyonSupport

/// A web server on the loopback interface whose responses, delays and failures a test controls.
///
/// HTTP/1.1 with keep-alive over blocking sockets, one thread for each connection. Other paths respond with 404. Every
/// method is safe from any thread.
public final class ImageServer: Sendable {
  /// The port on 127.0.0.1, chosen among the free ones.
  public let port: UInt16
  let state: Monitor<ServerState>
  private let stopSignal: WakeSignal

  private init() throws(SocketError) {
    let listener = try Socket.bound()
    try listener.startListening(backlog: 1024)
    port = listener.port
    state = Monitor(ServerState())
    stopSignal = try WakeSignal()
    ServerListener(descriptor: listener.release(), state: state, stopSignal: stopSignal).start()
  }

  /// Runs `body` with a new server, and stops the server afterwards, also when `body` throws.
  ///
  /// When this returns, no connection, thread or descriptor of the server is left. Replies still held or stalled are
  /// dropped. Only a reply closure that never returns prevents this from returning.
  public static func run<Result>(_ body: (ImageServer) async throws -> Result) async throws -> Result {
    let server = try ImageServer()
    let result: Result
    do {
      result = try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
    return result
  }

  /// Serves `replies` for `path` in turn, the last one repeated; replaces earlier replies for the path.
  ///
  /// - Parameter path: Starts with `/`. A path without a query also matches requests with one.
  /// - Returns: The URL of `path` on this server.
  @discardableResult
  public func serve(_ path: String, _ replies: Reply...) -> URL {
    precondition(!replies.isEmpty, "\(path) needs a reply")
    let replyCount = Atomic(0)
    return serve(path) { _ in
      let index = replyCount.add(1) - 1
      return replies[min(index, replies.count - 1)]
    }
  }

  /// Serves the reply that `reply` returns for each request to `path`.
  ///
  /// The closure is called on the thread of the connection, concurrently for several connections.
  @discardableResult
  public func serve(_ path: String, _ reply: @escaping @Sendable (RecordedRequest) -> Reply) -> URL {
    state.update { $0.routes[path] = reply }
    return url(path)
  }

  /// The URL of `path` on this server.
  ///
  /// - Parameter host: Another name that resolves to 127.0.0.1, such as `a.localhost`, to appear as another host.
  public func url(_ path: String, host: String = "127.0.0.1") -> URL {
    Self.url(path, host: host, port: port)
  }

  /// Resets the next `count` connections as soon as they are accepted.
  public func resetConnections(_ count: Int) {
    state.update { $0.resetCount += count }
  }

  /// A URL of `path` on a port where nothing listens: connections are refused as long as the server runs.
  public func refusingURL(_ path: String) throws(SocketError) -> URL {
    let socket = try Socket.bound()
    let url = Self.url(path, host: "127.0.0.1", port: socket.port)
    let descriptor = socket.release()
    state.update { $0.refusingDescriptors.append(descriptor) }
    return url
  }

  private static func url(_ path: String, host: String, port: UInt16) -> URL {
    guard let url = URL(string: "http://\(host):\(port)\(path)") else {
      preconditionFailure("“\(path)” is not a valid URL path")
    }
    return url
  }

  private func stop() async {
    state.update { $0.stop() }
    stopSignal.send()
    await state.waitIgnoringCancellation { $0.isOver }
    stopSignal.close()
    for descriptor in state.update({ $0.takeRefusingDescriptors() }) { _ = Socket(adopting: descriptor) }
  }
}
