import Foundation

/// Accepts connections on a dedicated thread until the stop signal, and serves each on a separate thread.
struct ServerListener: Sendable {
  /// The listening socket, closed when accepting ends.
  let descriptor: Int32
  let state: Monitor<ServerState>
  let stopSignal: WakeSignal

  func start() {
    startThread {
      acceptConnections()
      state.update { $0.didStopListening() }
    }
  }

  private func acceptConnections() {
    let listener = Socket(adopting: descriptor)
    while !stopSignal.wait(orReadable: descriptor) {
      guard let accepted = listener.accept() else { continue }
      switch state.update({ $0.admit(accepted) }) {
      case .serve(let id): startThread { serve(accepted, id: id) }
      case .reset(let id): reset(accepted, id: id)
      case .refuse: _ = Socket(adopting: accepted)
      }
    }
  }

  private func serve(_ accepted: Int32, id: Int) {
    var connection = ServerConnection(id: id, descriptor: accepted, state: state)
    connection.serve()
    state.update { $0.willClose(id) }
    connection.close()
    state.update { $0.didClose(id) }
  }

  private func reset(_ accepted: Int32, id: Int) {
    do {
      let socket = Socket(adopting: accepted)
      socket.resetWhenClosed()
    }
    state.update { $0.didClose(id) }
  }

  /// Starts a thread with a small stack, because there may be a thousand.
  private func startThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 512 << 10
    thread.start()
  }
}
