#if canImport(CHalcyonMemcached)
import CHalcyonMemcached
import HalcyonCache
import HalcyonSupport

/// The servers of a store: which of them has a key, which are ejected, and the idle connections of each.
///
/// libmemcached's own ejection does not notice a server that is silent: each read of its keys waits for the timeout.
final class ServerGroup: Sendable {
  /// A server that a call goes to.
  struct Choice: Sendable {
    /// `nil` if all are ejected.
    var server: Int?
    /// Ejected servers whose time has come; each needs a trial.
    var trials: [Int]
  }

  /// Changes that an ejected server has missed.
  struct MissedChanges: Sendable {
    /// Beyond it, everything is removed from the server instead.
    static let limit = 10_000

    var keys: Set<String> = []
    var isAll = false

    var isEmpty: Bool { keys.isEmpty && !isAll }

    mutating func add(_ key: String) {
      guard !isAll else { return }
      keys.insert(key)
      if keys.count > Self.limit { self = MissedChanges(keys: [], isAll: true) }
    }
  }

  private struct Server: Sendable {
    var breaker: CircuitBreaker
    var missed = MissedChanges()
    var idle: [Connection] = []
  }

  private struct State: Sendable {
    var servers: [Server]
    /// Replaced as a whole when a server is ejected or brought back.
    var ring: HashRing
  }

  let addresses: [MemcachedServer]
  private let timeout: Duration
  private let connectionLimit: Int
  private let itemByteLimit: Int
  private let time: any TimeSource
  private let state: Lock<State>

  init(_ addresses: [MemcachedServer], _ configuration: MemcachedConfiguration, time: any TimeSource) {
    self.addresses = addresses
    self.time = time
    timeout = configuration.timeout
    connectionLimit = configuration.connectionLimit
    itemByteLimit = configuration.itemByteLimit
    let breaker = CircuitBreaker(
      failureLimit: configuration.failureLimit, retryInterval: configuration.retryInterval)
    let all = addresses.indices.map { (number: $0, server: addresses[$0]) }
    state = Lock(State(servers: addresses.map { _ in Server(breaker: breaker) }, ring: HashRing(all)))
  }

  /// The server of a key, by a hash of `group`.
  func choose(_ group: String) -> Choice {
    let now = time.uptime()
    let (ring, trials) = state.withLock { ($0.ring, Self.dueTrials(&$0, at: now)) }
    return Choice(server: ring.server(for: group), trials: trials)
  }

  /// The servers that are not ejected.
  func available() -> (servers: [Int], trials: [Int]) {
    let now = time.uptime()
    return state.withLock { state in
      let trials = Self.dueTrials(&state, at: now)
      return (state.servers.indices.filter { !state.servers[$0].breaker.isOpen }, trials)
    }
  }

  private static func dueTrials(_ state: inout State, at now: Duration) -> [Int] {
    state.servers.indices.filter { index in
      guard state.servers[index].breaker.isOpen else { return false }
      if case .trial = state.servers[index].breaker.permission(at: now) { return true }
      return false
    }
  }

  /// Runs `body` with a connection to a server, on the calling thread; a connection that fails is closed.
  func withConnection<Value>(
    to number: Int, _ body: (Connection) throws(MemcachedError) -> Value
  ) throws(MemcachedError) -> Value {
    let idle = state.withLock { $0.servers[number].idle.popLast() }
    let connection: Connection
    if let idle {
      connection = idle
    } else {
      connection = try Connection(addresses[number], timeout: timeout, itemByteLimit: itemByteLimit)
    }
    let value = try body(connection)
    keep(connection, number)
    return value
  }

  /// Sends a request for items on an idle connection, without waiting; `nil` if there is none.
  func request(_ keys: [String], from number: Int) throws(MemcachedError) -> Connection? {
    guard let connection = state.withLock({ $0.servers[number].idle.popLast() }) else { return nil }
    try connection.request(keys)
    return connection
  }

  /// The items under several keys.
  ///
  /// - Parameter requested: The connection that ``request(_:from:)`` has returned.
  func items(
    _ keys: [String], from number: Int, _ requested: Connection?
  ) throws(MemcachedError) -> FoundItems {
    guard let requested else {
      return try withConnection(to: number) { connection throws(MemcachedError) in try connection.items(keys) }
    }
    let items = try requested.requestedItems(keys)
    keep(requested, number)
    return items
  }

  private func keep(_ connection: Connection, _ number: Int) {
    state.withLock { state in
      if state.servers[number].idle.count < connectionLimit { state.servers[number].idle.append(connection) }
    }
  }

  func recordSuccess(_ number: Int) { state.withLock { $0.servers[number].breaker.recordSuccess() } }

  /// Records a failure, which may eject the server.
  func recordFailure(_ number: Int) {
    let now = time.uptime()
    let dropped: [Connection] = state.withLock { state in
      let wasOpen = state.servers[number].breaker.isOpen
      state.servers[number].breaker.recordFailure(at: now)
      guard !wasOpen, state.servers[number].breaker.isOpen else { return [] }
      state.ring = ring(of: state)
      defer { state.servers[number].idle = [] }
      return state.servers[number].idle
    }
    withExtendedLifetime(dropped) {}
  }

  /// Brings a server back after a successful trial, unless it has missed more changes meanwhile.
  ///
  /// - Returns: Whether it is back.
  func bringBack(_ number: Int) -> Bool {
    state.withLock { state in
      guard state.servers[number].missed.isEmpty else { return false }
      state.servers[number].breaker.recordSuccess()
      state.ring = ring(of: state)
      return true
    }
  }

  /// The ring without the ejected servers.
  private func ring(of state: State) -> HashRing {
    HashRing(
      addresses.indices.filter { !state.servers[$0].breaker.isOpen }.map { (number: $0, server: addresses[$0]) })
  }

  /// Notes a change of a key for all ejected servers, any of which may have an older item.
  ///
  /// - Parameter key: `nil` for all keys.
  func noteChange(of key: String?) {
    state.withLock { state in
      for index in state.servers.indices where state.servers[index].breaker.isOpen {
        if let key {
          state.servers[index].missed.add(key)
        } else {
          state.servers[index].missed = MissedChanges(isAll: true)
        }
      }
    }
  }

  /// Takes the changes that a server has missed.
  func takeMissed(_ number: Int) -> MissedChanges {
    state.withLock { state in
      defer { state.servers[number].missed = MissedChanges() }
      return state.servers[number].missed
    }
  }

  /// Returns changes that could not be applied.
  func returnMissed(_ changes: MissedChanges, _ number: Int) {
    state.withLock { state in
      if changes.isAll { state.servers[number].missed = changes }
      for key in changes.keys { state.servers[number].missed.add(key) }
    }
  }

  /// Whether any server is ejected, so that others have its keys.
  var hasEjected: Bool { state.withLock { $0.servers.contains { $0.breaker.isOpen } } }

  var counts: (opens: Int, ejected: [Int]) {
    state.withLock { state in
      (
        state.servers.reduce(0) { $0 + $1.breaker.openCount },
        state.servers.indices.filter { state.servers[$0].breaker.isOpen }
      )
    }
  }
}
#endif
