#if canImport(CHalcyonCurlShim)
import HalcyonSupport
import HalcyonHTTP
import CHalcyonCurlShim
import Foundation

/// Owns the thread on which libcurl runs, and stops it when released.
final class CurlThread: Sendable {
  let loop: CurlLoop

  init(
    _ configuration: CurlTransport.Configuration, leastFirstByteLimit: Duration, network: NetworkWatch,
    proxies: ProxySettings
  ) {
    let loop = CurlLoop(
      configuration, leastFirstByteLimit: leastFirstByteLimit, network: network, proxies: proxies)
    self.loop = loop
    Thread.start(named: "halcyon.curl") { loop.run() }
  }

  deinit { loop.post(.stop) }
}

/// The event loop of libcurl's multi interface.
///
/// Unchecked: `active`, `idle`, `connections`, `network`, `addresses`, `received` and `nextCheck` are accessed only by
/// `run()`, on its one thread. So is `multi`, except for `curl_multi_wakeup`, which libcurl allows from any thread, and which is called only
/// under the lock of `commands` while the loop has not ended.
final class CurlLoop: @unchecked Sendable {
  enum Command {
    case start(Transfer)
    case unpause(Transfer)
    case cancel(Transfer)
    case stop
  }

  private struct Commands {
    var waiting: [Command] = []
    /// Whether the thread polls, or is about to, and has not been woken yet.
    var isPolling = false
    var hasEnded = false
  }

  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// The most idle connections, and idle easy handles, kept for reuse.
  private static let idleLimit = 24

  private let configuration: CurlTransport.Configuration
  private let multi: OpaquePointer?
  /// The descriptors that child processes would inherit with older versions of libcurl.
  let wakeupDescriptors: [Int32]
  private let commands = Lock(Commands())
  private var active: [ObjectIdentifier: CurlHandle] = [:]
  private var idle: [EasyHandle] = []
  private let connections: OpenConnections
  private var network: NetworkWatch
  private var addresses = KnownAddresses()
  private let proxies: ProxySettings
  private let received = PendingWakeups()
  /// No timeout expires before this.
  private var nextCheck = ContinuousClock.now

  init(
    _ configuration: CurlTransport.Configuration, leastFirstByteLimit: Duration = .seconds(1),
    network: NetworkWatch = NetworkWatch(), proxies: ProxySettings = ProxySettings()
  ) {
    self.configuration = configuration
    self.network = network
    self.proxies = proxies
    connections = OpenConnections(leastFirstByteLimit: leastFirstByteLimit)
    let (multi, descriptors) = Self.isInitialized ? WakeupDescriptors.makeMulti() : (nil, [])
    self.multi = multi.map { OpaquePointer($0) }
    wakeupDescriptors = descriptors
    // By default libcurl keeps four connections for each running transfer, and so closes most of them after a burst.
    if let multi { halcyon_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.idleLimit) }
  }

  /// Whether bodies are decompressed.
  var decodesContent: Bool { configuration.decodesContent }

  /// Queues a command for the loop's thread. Safe from any thread.
  func post(_ command: Command) {
    let isRejected = commands.withLock { commands in
      guard !commands.hasEnded, let multi else { return true }
      commands.waiting.append(command)
      // Waking is expensive, and a running thread checks for commands before it polls.
      if commands.isPolling { curl_multi_wakeup(UnsafeMutableRawPointer(multi)) }
      commands.isPolling = false
      return false
    }
    if isRejected, case .start(let transfer) = command {
      transfer.end(.failure(.failed(reason: "libcurl could not be started")))
    }
  }

  /// Runs the loop until the command `stop`.
  func run() {
    guard let multi = multi.map({ UnsafeMutableRawPointer($0) }) else {
      commands.withLock { $0.hasEnded = true }
      return
    }
    while runCommands(multi) {
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      finishCompleted(multi)
      received.wakeReaders()
      enforceTimeouts(multi)
      if beginPolling() { curl_multi_poll(multi, nil, 0, pollTimeout, nil) }
      received.updateTime()
    }
    for handle in active.values { handle.close(in: multi, .failure(.cancelled)) }
    (active, idle) = ([:], [])
    commands.withLock { $0.hasEnded = true }
    curl_multi_cleanup(multi)
  }

  /// Marks the thread as polling, so that commands wake it; `false` when commands are waiting already.
  private func beginPolling() -> Bool {
    commands.withLock { commands in
      commands.isPolling = commands.waiting.isEmpty
      return commands.isPolling
    }
  }

  /// Runs the queued commands; `false` when one of them is `stop`.
  private func runCommands(_ multi: UnsafeMutableRawPointer) -> Bool {
    let waiting = commands.withLock { commands in
      defer {
        commands.waiting = []
        commands.isPolling = false
      }
      return commands.waiting
    }
    var isRunning = true
    for command in waiting {
      switch command {
      case .start(let transfer): start(transfer, in: multi)
      case .unpause(let transfer): active[ObjectIdentifier(transfer)]?.unpause()
      case .cancel(let transfer):
        active.removeValue(forKey: ObjectIdentifier(transfer))?.close(in: multi, .failure(.cancelled))
      case .stop: isRunning = false
      }
    }
    return isRunning
  }

  private func start(_ transfer: Transfer, in multi: UnsafeMutableRawPointer) {
    guard !transfer.hasEnded else { return }
    if network.hasChanged(at: received.time) {
      connections.closeIdle(used: active.values.compactMap(\.connection))
      addresses.recordNetworkChange(at: received.time)
    }
    do throws(TransportError) {
      let reused = idle.popLast()
      let easy = if let reused { reused } else { try EasyHandle(configuration, connections: connections) }
      let handle = CurlHandle(
        transfer: transfer, easy: easy, addressPolicy: configuration.addressPolicy, proxy: try proxy(for: transfer),
        addressLifetime: addresses.lifetime(for: transfer.host, at: received.time), received: received,
        openConnections: connections)
      try handle.add(to: multi)
      active[ObjectIdentifier(transfer)] = handle
      nextCheck = min(nextCheck, handle.nextDeadline(at: received.time))
    } catch {
      transfer.end(.failure(error))
    }
  }

  /// `nil` with an address policy, since the connections that a proxy makes cannot be checked.
  private func proxy(for transfer: Transfer) throws(TransportError) -> ProxySettings.Proxy? {
    if configuration.addressPolicy == .any { return proxies.proxy(for: transfer.request.url) }
    guard let proxy = configuration.proxy else { return nil }
    let name = proxy.absoluteString.withoutUserInfo
    throw .failed(reason: "the proxy \(name) connects where no address policy can check it: configure only one of them")
  }

  private func finishCompleted(_ multi: UnsafeMutableRawPointer) {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let handle = CurlHandle.of(easy)
      else { continue }
      // The message is invalid once its handle is removed.
      let code = message.pointee.data.result
      if handle.needsAnotherConnection, (try? handle.useNewConnection(in: multi)) != nil { continue }
      if code.isConnectionLost, handle.maySendAgain {
        closeConnections(ofServerOf: handle)
        if (try? handle.sendAgain(in: multi)) != nil { continue }
      }
      if handle.mayIgnoreLength(after: code), (try? handle.ignoreLength(in: multi)) != nil { continue }
      if handle.mayFollowOtherBytes(code), (try? handle.sendAgain(in: multi)) != nil { continue }
      let outcome = handle.outcome(of: code)
      end(handle, outcome, in: multi)
      if handle.isMisdirected { closeIfIdle(handle.connection) }
      // After a failure the easy handle may be in any state.
      if code == CURLE_OK, case .success = outcome, idle.count < Self.idleLimit { idle.append(handle.easy) }
    }
  }

  private func end(_ handle: CurlHandle, _ outcome: Result<Void, TransportError>, in multi: UnsafeMutableRawPointer) {
    if case .failure(let error) = outcome { addresses.record(error, of: handle.transfer.host, at: received.time) }
    active.removeValue(forKey: ObjectIdentifier(handle.transfer))?.close(in: multi, outcome)
  }

  /// Closes the connection of a transfer, and those to the same server that are idle.
  private func closeConnections(ofServerOf handle: CurlHandle) {
    guard let connection = handle.connection else { return }
    let used = active.values.compactMap(\.connection).filter { $0 !== connection }
    connections.closeIdle(to: connection.server, used: used)
  }

  /// Closes a connection that is dead, ends those of its transfers whose timeouts have expired, and sends the requests of
  /// the others again, if they may be.
  private func giveUpConnection(
    of handle: CurlHandle, at now: ContinuousClock.Instant, in multi: UnsafeMutableRawPointer
  ) {
    let transfers = active.values.filter { $0 === handle || $0.connection === handle.connection }
    closeConnections(ofServerOf: handle)
    for handle in transfers {
      if let error = handle.timeoutError(at: now) {
        end(handle, .failure(error), in: multi)
      } else if !handle.maySendAgain || (try? handle.sendAgain(in: multi)) == nil {
        end(handle, .failure(.connectionLost(received: handle.transfer.received, expected: nil)), in: multi)
      }
    }
  }

  private func closeIfIdle(_ connection: OpenConnection?) {
    guard let connection, !active.values.contains(where: { $0.connection === connection }) else { return }
    connections.close(connection)
  }

  /// Ends the transfers whose timeouts have expired.
  ///
  /// Scans all transfers, but only from `nextCheck` on: activity only postpones deadlines.
  private func enforceTimeouts(_ multi: UnsafeMutableRawPointer) {
    let now = received.time
    if let deadline = connections.takeDeadline() { nextCheck = min(nextCheck, deadline) }
    guard now >= nextCheck else { return }
    for (key, handle) in active where active[key] != nil {
      if handle.isConnectionDead(at: now) {
        giveUpConnection(of: handle, at: now, in: multi)
      } else if let error = handle.timeoutError(at: now) {
        end(handle, .failure(error), in: multi)
      }
    }
    nextCheck = active.values.reduce(now + .seconds(60)) { min($0, $1.nextDeadline(at: now)) }
  }

  /// Milliseconds until `nextCheck`.
  private var pollTimeout: Int32 {
    let wait = received.time.duration(to: nextCheck).inSeconds
    return Int32(min(60_000, max(1, (wait * 1000).rounded(.up))))
  }
}

/// The transfers that received something since their readers were last woken; used only on the loop's thread.
final class PendingWakeups {
  /// When the loop last woke up; used as the time of everything received before the next poll.
  private(set) var time = ContinuousClock.now
  private var transfers: [Transfer] = []

  func updateTime() { time = .now }

  /// Adds a transfer.
  ///
  /// Header lines and body pieces of one transfer arrive in a row, so only the last element is compared; waking a reader
  /// twice is harmless.
  func add(_ transfer: Transfer) {
    if transfers.last !== transfer { transfers.append(transfer) }
  }

  func wakeReaders() {
    for transfer in transfers { transfer.wakeReader() }
    transfers.removeAll(keepingCapacity: true)
  }
}
#endif
