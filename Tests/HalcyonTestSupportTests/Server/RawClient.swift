import Foundation
import HalcyonTestSupport

/// A client that sends and receives raw bytes; its blocking calls run on separate threads.
final class RawClient: Sendable {
  private let socket: Socket

  init(_ server: ImageServer) throws {
    socket = try Socket.connected(toPort: server.port)
  }

  /// Sends a request without waiting for the reply.
  func get(_ path: String, method: String = "GET", headers: [String] = [], body: String = "") {
    let head = (["\(method) \(path) HTTP/1.1", "Host: test"] + headers).map { $0 + "\r\n" }.joined()
    send(head + "\r\n" + body)
  }

  func send(_ text: String) {
    _ = socket.send(Data(text.utf8))
  }

  /// All bytes until the connection closes.
  func readAll() async throws -> String {
    try await read { _ in false }
  }

  /// The bytes received until they end with `end`, or the connection closes.
  func read(through end: String) async throws -> String {
    try await read { $0.hasSuffix(end) }
  }

  private func read(until isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread { [self] in
        continuation.resume(with: Result { try readBlocking(until: isEnough) })
      }.start()
    }
  }

  private func readBlocking(until isEnough: (String) -> Bool) throws -> String {
    var text = ""
    while !isEnough(text) {
      let bytes = try socket.receive()
      guard !bytes.isEmpty else { break }
      text += String(decoding: bytes, as: UTF8.self)
    }
    return text
  }
}
