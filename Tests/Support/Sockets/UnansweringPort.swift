/// A port of 127.0.0.1 where connecting neither succeeds nor fails: its queue is full, and nothing accepts.
///
/// Linux drops connection attempts that do not fit the queue; other systems may refuse them.
public struct UnansweringPort: ~Copyable {
  public let number: UInt16
  private let listener: Socket
  private let first: Socket
  private let second: Socket

  public init() throws(SocketError) {
    let listener = try Socket.bound()
    try listener.startListening(backlog: 0)
    // A backlog of 0 holds one connection, and one more waits for the end of its handshake.
    let first = try Socket.connected(toPort: listener.port)
    let second = try Socket.connecting(toPort: listener.port)
    number = listener.port
    self.listener = listener
    self.first = first
    self.second = second
  }
}
