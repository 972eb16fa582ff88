#if os(Linux)
public import Foundation
import HalcyonSupport

/// A forward proxy on the loopback interface: it opens tunnels, or says what a test wants.
public final class ForwardProxy: Sendable {
  /// What the proxy does with a request.
  public enum Action: Sendable {
    /// Sends this head, connects to the port of the request, and passes on all bytes.
    ///
    /// Closes the connection, or resets it, instead of passing on more than `byteCount` bytes of the server.
    case tunnel(
      head: String = "HTTP/1.1 200 Connection established\r\n\r\n", upTo: Int = .max, resets: Bool = false)
    /// Sends these bytes, and closes the connection.
    case reply(Data)
  }

  /// The port on 127.0.0.1, chosen among the free ones.
  public let port: UInt16
  private let stopSignals = Lock<[WakeSignal]>([])
  private let heads = Lock<[String]>([])
  /// The bytes that each tunnel may still pass on before it falls silent; `nil` without a limit.
  private let allowances = Lock<[Int?]>([])
  private let drops = Atomic(0)
  private let action: @Sendable (String) -> Action

  private init(port: UInt16, _ action: @escaping @Sendable (String) -> Action) {
    self.port = port
    self.action = action
  }

  /// Runs `body` with a new proxy, and ends all its connections afterwards.
  ///
  /// - Parameter action: Called with the head of each request, on the thread of its connection.
  public static func run(
    _ action: @escaping @Sendable (String) -> Action, _ body: (ForwardProxy) async throws -> Void
  ) async throws {
    let listener = try Socket.bound()
    try listener.startListening(backlog: 128)
    let proxy = ForwardProxy(port: listener.port, action)
    let signal = try proxy.newSignal()
    let descriptor = listener.release()
    Thread.detachNewThread { proxy.accept(from: Socket(adopting: descriptor), until: signal) }
    defer { for signal in proxy.stopSignals.withLock(\.self) { signal.send() } }
    try await body(proxy)
  }

  /// The heads of the requests so far, in order.
  public var requests: [String] { heads.withLock(\.self) }

  /// The tunnels opened so far.
  public var tunnelCount: Int { allowances.withLock(\.count) }

  /// Lets the tunnels that are open fall silent, but acknowledge what they receive: they pass on so many bytes more of
  /// their servers, and then nothing in either direction.
  public func silenceTunnels(after byteCount: Int) {
    allowances.withLock { $0 = $0.map { $0 ?? byteCount } }
  }

  /// How often a silent tunnel has received bytes of its client.
  public var droppedCount: Int { drops.load() }

  /// The part of some bytes that a tunnel passes on.
  private func passed(_ bytes: Data, fromServer isOfServer: Bool, by tunnel: Int) -> Data {
    allowances.withLock { allowances in
      guard let allowance = allowances[tunnel] else { return bytes }
      guard isOfServer else {
        if allowance == 0 { drops.add(1) }
        return allowance == 0 ? Data() : bytes
      }
      allowances[tunnel] = max(0, allowance - bytes.count)
      return bytes.prefix(allowance)
    }
  }

  private func newSignal() throws(SocketError) -> WakeSignal {
    let signal = try WakeSignal()
    stopSignals.withLock { $0.append(signal) }
    return signal
  }

  private func accept(from listener: consuming Socket, until signal: WakeSignal) {
    while !signal.wait(orReadable: listener.descriptor) {
      guard let accepted = listener.accept() else { continue }
      Thread.detachNewThread { [self] in serve(Socket(adopting: accepted)) }
    }
    signal.close()
  }

  private func serve(_ client: consuming Socket) {
    guard let head = Self.head(from: client) else { return }
    heads.withLock { $0.append(head) }
    switch action(head) {
    case .reply(let bytes):
      _ = client.send(bytes)
    case .tunnel(let reply, let limit, let resets):
      guard let port = Self.port(of: head), let server = try? Socket.connected(toPort: port),
        client.send(Data(reply.utf8))
      else { return }
      passOn(client, server, upTo: limit)
      if resets { client.resetWhenClosed() }
    }
  }

  private static func head(from client: borrowing Socket) -> String? {
    var head = Data()
    while head.range(of: Data("\r\n\r\n".utf8)) == nil {
      guard let bytes = try? client.receive(), !bytes.isEmpty else { return nil }
      head += bytes
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// The port in `CONNECT host:port HTTP/1.1`.
  private static func port(of head: String) -> UInt16? {
    head.split(separator: " ").dropFirst().first?.split(separator: ":").last.flatMap { UInt16($0) }
  }

  private func passOn(_ client: borrowing Socket, _ server: borrowing Socket, upTo limit: Int) {
    guard let signal = try? newSignal() else { return }
    defer { signal.close() }
    let tunnel = allowances.withLock { allowances in
      allowances.append(nil)
      return allowances.count - 1
    }
    var rest = limit
    while let isClient = signal.wait(orReadable: client.descriptor, server.descriptor) {
      guard let received = isClient ? try? client.receive() : try? server.receive(), !received.isEmpty else { return }
      let bytes = passed(received, fromServer: !isClient, by: tunnel)
      if isClient {
        guard server.send(bytes) else { return }
      } else {
        guard client.send(bytes.prefix(rest)), bytes.count <= rest else { return }
        rest -= bytes.count
      }
    }
  }
}

extension WakeSignal {
  /// Blocks until the signal is sent or one of two sockets is readable.
  ///
  /// - Returns: Whether the first one is; `nil` once the signal was sent.
  fileprivate func wait(orReadable first: Int32, _ second: Int32) -> Bool? {
    var polled = [waitingEnd, first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
    return polled[0].revents != 0 ? nil : polled[1].revents != 0
  }
}
#endif
