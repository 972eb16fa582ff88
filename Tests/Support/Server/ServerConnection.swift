import Foundation

/// One client connection, served on a dedicated thread.
struct ServerConnection: ~Copyable {
  private let socket: Socket
  private let state: Monitor<ServerState>
  private var reader: RequestReader

  init(id: Int, descriptor: Int32, state: Monitor<ServerState>) {
    socket = Socket(adopting: descriptor)
    socket.sendWithoutDelay()
    reader = RequestReader(connectionID: id)
    self.state = state
  }

  /// Replies to requests until either side closes the connection or the server stops.
  mutating func serve() {
    while let (request, keepsAlive) = nextRequest() {
      let reply = chooseReply(to: request)
      guard perform(reply.steps(for: request.method)), keepsAlive, reply.keepsAlive else { return }
    }
  }

  /// Closes the connection.
  consuming func close() {}

  private mutating func nextRequest() -> (RecordedRequest, keepsAlive: Bool)? {
    while true {
      switch reader.next() {
      case .request(let request, let keepsAlive): return (request, keepsAlive)
      case .malformed:
        _ = perform(Reply.status(400).steps(for: "GET"))
        return nil
      case .incomplete:
        guard receive() else { return nil }
      }
    }
  }

  private func chooseReply(to request: RecordedRequest) -> Reply {
    let (index, route) = state.update { state in
      (state.record(request), state.reply(to: request))
    }
    let reply = route?(request) ?? .status(404)
    state.update { $0.setStatus(reply.status, ofRequest: index) }
    return reply
  }

  /// Performs the steps; `false` when the connection must not be reused.
  private mutating func perform(_ steps: [ReplyStep]) -> Bool {
    for step in steps {
      switch step {
      case .send(let data):
        guard socket.send(data) else { return false }
      case .hold(let gate):
        guard pass(gate) else { return false }
      case .goDeaf:
        socket.dropIncoming()
      case .cut:
        return false
      case .stall:
        while receive() {}
        return false
      case .reset:
        socket.resetWhenClosed()
        return false
      }
    }
    return true
  }

  /// Waits at `gate`; `false` when the client has disconnected or the server stops.
  private mutating func pass(_ gate: Gate) -> Bool {
    guard let wake = try? WakeSignal() else { return false }
    let waiter = gate.arrive { wake.send() }
    defer {
      gate.leave(waiter)
      wake.close()
    }
    while !wake.wait(orReadable: socket.descriptor) {
      // Bytes of the next request show that the client is still connected.
      guard receive() else { return false }
    }
    return true
  }

  /// Waits for more bytes from the client; `false` when it has disconnected.
  private mutating func receive() -> Bool {
    guard let bytes = try? socket.receive(), !bytes.isEmpty else { return false }
    reader.append(bytes)
    return true
  }
}
