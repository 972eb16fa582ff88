package import Foundation
import Synchronization

/// A web server on the loopback interface that answers, delays and fails exactly as a test says.
///
/// HTTP/1.1 with keep-alive over blocking sockets, a thread a connection. Paths that are not served answer 404.
/// Every method is safe from any thread.
package final class ImageServer: Sendable {
  /// The port on 127.0.0.1, free before the server took it.
  package let port: UInt16
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

  /// Runs `body` with a server of its own; afterwards, also when `body` throws, no connection, thread or descriptor of
  /// it is left.
  ///
  /// Replies still held or stalled are dropped. Only a reply closure that never returns keeps this from ending.
  package static func run<Result>(_ body: (ImageServer) async throws -> Result) async throws -> Result {
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

  /// Answers requests for `path` with `replies` in turn, the last one repeated; a path served before is replaced.
  ///
  /// - Parameter path: Begins with `/`. Without a query it also answers requests that have one.
  /// - Returns: Where to ask for it.
  @discardableResult
  package func serve(_ path: String, _ replies: Reply...) -> URL {
    precondition(!replies.isEmpty, "\(path) needs a reply")
    let answeredCount = Atomic(0)
    return serve(path) { _ in
      let index = answeredCount.add(1, ordering: .relaxed).oldValue
      return replies[min(index, replies.count - 1)]
    }
  }

  /// Answers requests for `path` with what `answer` says, called on the connection's thread, several at once.
  @discardableResult
  package func serve(_ path: String, _ answer: @escaping @Sendable (RecordedRequest) -> Reply) -> URL {
    state.update { $0.routes[path] = answer }
    return url(path)
  }

  /// The address of `path` here.
  ///
  /// - Parameter host: Another name that leads to 127.0.0.1, such as `a.localhost`, to look like another host.
  package func url(_ path: String, host: String = "127.0.0.1") -> URL {
    Self.url(path, host: host, port: port)
  }

  /// Resets the next `count` connections as soon as they are accepted.
  package func resetConnections(_ count: Int) {
    state.update { $0.resetCount += count }
  }

  /// An address of `path` where nothing listens: connecting is refused as long as the server runs.
  package func refusingURL(_ path: String) throws(SocketError) -> URL {
    let socket = try Socket.bound()
    let url = Self.url(path, host: "127.0.0.1", port: socket.port)
    let descriptor = socket.release()
    state.update { $0.refusingDescriptors.append(descriptor) }
    return url
  }

  private static func url(_ path: String, host: String, port: UInt16) -> URL {
    guard let url = URL(string: "http://\(host):\(port)\(path)") else {
      preconditionFailure("“\(path)” is no path of a URL")
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
