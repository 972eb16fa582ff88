/// Moves bytes from a web server to us.
///
/// A conformer keeps these laws:
/// - Redirects are not followed: an answer of 3xx is returned like any other, and the pipeline decides.
/// - A body that ends before its declared length is the error ``TransportError/connectionLost(received:expected:)``.
/// - Not more than a few hundred kilobytes are held for a reader that does not read.
/// - Cancelling the calling task, or dropping the response, ends the transfer and closes what it used.
/// - Calls may be made at once from several tasks.
public protocol Transport: Sendable {
  /// Sends a request and returns once the head of the answer is there.
  func response(to request: TransportRequest) async throws -> TransportResponse
}

/// A transport whose transfers anybody can begin, at once and from any thread.
///
/// A load that has to wait for a connection prepares its transfer and then waits for the answer. When another transfer
/// ends, the thread on which it ends begins the next: no task has to be run in between.
package protocol PreparingTransport: Transport {
  /// A transfer that has not begun.
  ///
  /// - Parameter onEnd: Called once, when no connection is used any more: all bytes are there, or the transfer has
  ///   failed or was cancelled, begun or not. On any thread and under no lock.
  func prepare(_ request: TransportRequest, onEnd: @escaping @Sendable () -> Void) -> any PreparedTransfer
}

/// A transfer of a ``PreparingTransport``.
package protocol PreparedTransfer: Sendable {
  /// Sends the request, unless the transfer was cancelled.
  func begin()

  /// Ends the transfer.
  func cancel()

  /// The head of the answer, once it is there. Cancelling the calling task cancels the transfer. Called once.
  func response() async throws -> TransportResponse
}
