import Halcyon
@_spi(Programs) import HalcyonSupport
import Synchronization

/// The loads in flight by what they wait for: a look-up, their source, or a decoder.
///
/// A look-up needs no permit. Each source host has a queue of its own, so that a slow one delays only its own images, and a
/// load that waits for its source occupies no decoder. No transfer starts while fetched bytes beyond a limit wait for a
/// decoder, so that memory is bounded however many requests there are.
final class Workload: Sendable {
  /// The loads by what they wait for, and the requests that share them.
  struct Counts: Equatable {
    var requests = 0
    /// Loads that wait for their source.
    var fetching = 0
    /// Loads whose source is there: they are decoded, processed and encoded, or wait for that.
    var working = 0
  }

  fileprivate enum Phase: Equatable {
    case lookup
    case fetching(host: String)
    case working
  }

  fileprivate struct Load {
    var phase = Phase.lookup
    var requestCount = 0
    /// The bytes received of its source.
    var byteCount = 0
  }

  fileprivate struct State {
    var loads: [String: Load] = [:]
    var hosts: [String: Int] = [:]
    var counts = Counts()
  }

  private let fetchLimit: Int
  private let workLimit: Int
  /// The bytes of the sources of loads that work, or wait for a decoder.
  private let fetchedBytes: Permits
  private let state = Mutex(State())

  /// - Parameters:
  ///   - fetchLimit: The most loads of the sources of one host, those that are transferred included.
  ///   - workLimit: The most loads that are decoded or wait for that.
  ///   - fetchedByteLimit: The bytes of fetched sources from which on no transfer starts.
  init(fetchLimit: Int, workLimit: Int, fetchedByteLimit: Int) {
    (self.fetchLimit, self.workLimit) = (fetchLimit, workLimit)
    fetchedBytes = Permits(limit: fetchedByteLimit)
  }

  var counts: Counts { state.withLock(\.counts) }

  /// Transfers that wait until fetched sources are decoded: as long as there are some, no source is to blame for a wait.
  var waitingTransferCount: Int { fetchedBytes.waitingCount }

  /// Runs a request; requests of the same name share one load.
  @discardableResult
  func run<Result>(
    _ name: String, _ body: (WorkloadTicket) async throws -> Result
  ) async throws -> Result {
    let ticket = WorkloadTicket(workload: self, name: name)
    state.withLock { state in
      state.counts.requests += 1
      state.loads[name, default: Load()].requestCount += 1
    }
    defer { leave(name) }
    return try await WorkloadTicket.$current.withValue(ticket) { try await body(ticket) }
  }

  /// Waits until a transfer may start.
  func waitForTransfer() async throws(CancellationError) {
    // It is not known yet how many bytes it brings: they are taken when they are there.
    try await fetchedBytes.acquire()
    fetchedBytes.release()
  }

  fileprivate func beginFetch(_ name: String, host: String) throws(SourceError) {
    try state.withLock { state throws(SourceError) in
      guard var load = state.loads[name], load.phase != .working, load.phase != .fetching(host: host) else { return }
      guard state.hosts[host, default: 0] < fetchLimit, state.counts.working < workLimit else {
        throw .tooManyWaiting
      }
      state.end(load.phase)
      load.phase = .fetching(host: host)
      state.loads[name] = load
      state.hosts[host, default: 0] += 1
      state.counts.fetching += 1
    }
  }

  fileprivate func receive(_ byteCount: Int, _ name: String) {
    state.withLock { state in
      guard state.loads[name]?.phase != .working else { return }
      state.loads[name]?.byteCount += byteCount
    }
  }

  fileprivate func beginWork(_ name: String) throws(SourceError) {
    let byteCount = try state.withLock { state throws(SourceError) in
      guard var load = state.loads[name], load.phase != .working else { return 0 }
      guard state.counts.working < workLimit else { throw .tooManyWaiting }
      state.end(load.phase)
      load.phase = .working
      state.loads[name] = load
      state.counts.working += 1
      return load.byteCount
    }
    if byteCount > 0 { fetchedBytes.take(byteCount) }
  }

  fileprivate func isWorking(_ name: String) -> Bool { state.withLock { $0.loads[name]?.phase == .working } }

  private func leave(_ name: String) {
    let byteCount = state.withLock { state in
      state.counts.requests -= 1
      guard var load = state.loads[name] else { return 0 }
      load.requestCount -= 1
      state.loads[name] = load.requestCount > 0 ? load : nil
      guard load.requestCount == 0 else { return 0 }
      state.end(load.phase)
      return load.phase == .working ? load.byteCount : 0
    }
    if byteCount > 0 { fetchedBytes.release(byteCount) }
  }
}

extension Workload.State {
  fileprivate mutating func end(_ phase: Workload.Phase) {
    switch phase {
    case .lookup: break
    case .fetching(let host):
      counts.fetching -= 1
      let count = hosts[host, default: 1] - 1
      hosts[host] = count > 0 ? count : nil
    case .working: counts.working -= 1
    }
  }
}

/// Reports of the code that runs for a load to its ``Workload``; ignored once the load has ended.
struct WorkloadTicket: Sendable {
  /// The ticket of the load for which the current task runs.
  @TaskLocal static var current: WorkloadTicket?

  fileprivate let workload: Workload
  fileprivate let name: String

  /// Whether the source has been fetched or found in the cache.
  var isWorking: Bool { workload.isWorking(name) }

  /// Called before a source is requested.
  ///
  /// - Throws: ``SourceError/tooManyWaiting`` if too many loads wait for this host, or for a decoder.
  func beginFetch(from host: String) throws(SourceError) { try workload.beginFetch(name, host: host) }

  /// Called for bytes of the source.
  func receive(_ byteCount: Int) { workload.receive(byteCount, name) }

  /// Called when the bytes of the source are there.
  ///
  /// - Throws: ``SourceError/tooManyWaiting`` if too many loads wait for a decoder.
  func beginWork() throws(SourceError) { try workload.beginWork(name) }
}
