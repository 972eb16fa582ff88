extension ImageServer {
  /// Every request read so far, in order, those being answered included.
  package var requests: [RecordedRequest] { state.read { $0.requests } }

  /// The statuses answered, in the order of the requests; 0 for raw replies.
  package var statuses: [Int] { requests.compactMap(\.status) }

  /// The requests for `path`; one without a query stands for all queries.
  package func requests(for path: String) -> [RecordedRequest] {
    requests.filter { $0.matches(path) }
  }

  package var openConnectionCount: Int { state.read { $0.openIDs.count } }

  /// The most connections open at once so far.
  package var peakConnectionCount: Int { state.read { $0.peakCount } }

  /// All connections so far, those reset at once included; also the identifier of the latest.
  package var acceptedConnectionCount: Int { state.read { $0.acceptedCount } }

  /// Suspends until at least `count` requests came, for `path` when given, and gives all such.
  ///
  /// - Throws: `CancellationError` when the task is cancelled or the server stops first, as all waits here.
  @discardableResult
  package func waitForRequests(
    count: Int = 1, path: String? = nil
  ) async throws(CancellationError) -> [RecordedRequest] {
    try await wait { $0.requestCount(path: path) >= count }
    return path.map { requests(for: $0) } ?? requests
  }

  /// Suspends until connection `id` is closed on both sides: how a test sees that cancelling ends a transfer.
  ///
  /// The client's leaving is noticed while the server reads, holds, stalls or sends. Returns at once for one closed.
  package func waitForClose(ofConnection id: Int) async throws(CancellationError) {
    try await wait { $0.acceptedCount >= id && !$0.openIDs.contains(id) }
  }

  /// Suspends until no connection is open, idle ones that clients keep included.
  package func waitUntilNoConnections() async throws(CancellationError) {
    try await wait { $0.openIDs.isEmpty }
  }

  private func wait(until claim: @escaping @Sendable (ServerState) -> Bool) async throws(CancellationError) {
    try await state.wait { $0.isStopping || claim($0) }
    guard state.read(claim) || !state.read(\.isStopping) else { throw CancellationError() }
  }
}
