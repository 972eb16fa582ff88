/// A port of 127.0.0.1 that accepts connections and never sends a byte: a TLS handshake with it never ends.
public struct SilentPort: ~Copyable {
  public let number: UInt16
  private let listener: Socket

  public init() throws(SocketError) {
    let listener = try Socket.bound()
    try listener.startListening(backlog: 128)
    number = listener.port
    self.listener = listener
  }

  /// Waits until there is a connection that has not been taken.
  public func waitForConnection() async throws {
    while !listener.hasPending() { try await Task.yieldUnlessCancelled() }
  }

  /// The connections made since the last call; they are closed.
  public func takeConnectionCount() -> Int {
    var count = 0
    while let descriptor = listener.accept() {
      _ = Socket(adopting: descriptor)
      count += 1
    }
    return count
  }
}
