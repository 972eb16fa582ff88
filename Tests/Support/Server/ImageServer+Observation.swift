extension ImageServer {
  /// All requests read so far, in order, including those without a complete reply.
  public var requests: [RecordedRequest] { state.read { $0.requests } }

  /// The status codes of the replies, in the order of the requests; 0 for raw replies.
  public var statuses: [Int] { requests.compactMap(\.status) }

  /// The requests for `path`; a path without a query matches any query.
  public func requests(for path: String) -> [RecordedRequest] {
    requests.filter { $0.matches(path) }
  }

  /// The number of connections accepted so far, including those reset at once; also the identifier of the latest one.
  public var acceptedConnectionCount: Int { state.read { $0.acceptedCount } }

  /// Suspends until at least `count` requests have been read, for `path` when given, and returns all of them.
  ///
  /// - Throws: `CancellationError` when the task is cancelled or the server stops first, like every wait here.
  @discardableResult
  public func waitForRequests(
    count: Int = 1, path: String? = nil
  ) async throws(CancellationError) -> [RecordedRequest] {
    try await wait { $0.requestCount(path: path) >= count }
    return path.map { requests(for: $0) } ?? requests
  }

  /// Suspends until connection `id` is closed on both sides, which shows that cancelling has ended a transfer.
  ///
  /// The server detects that the client has closed it while reading, holding, stalling or sending. Returns at once for
  /// a closed connection.
  public func waitForClose(ofConnection id: Int) async throws(CancellationError) {
    try await wait { $0.acceptedCount >= id && !$0.openIDs.contains(id) }
  }

  /// Suspends until no connection is open, not even an idle one kept alive by a client.
  public func waitUntilNoConnections() async throws(CancellationError) {
    try await wait { $0.openIDs.isEmpty }
  }

  private func wait(until claim: @escaping @Sendable (ServerState) -> Bool) async throws(CancellationError) {
    try await state.wait { $0.isStopping || claim($0) }
    guard state.read(claim) || !state.read(\.isStopping) else { throw CancellationError() }
  }
}
