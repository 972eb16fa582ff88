/// Sends requests to web servers and receives their responses.
///
/// A conformer keeps these laws:
/// - Redirects are not followed: a 3xx response is returned like any other; the pipeline handles it.
/// - The method and the body of the request are sent as they are. A request whose method is not idempotent is sent at
///   most once.
/// - A body that ends before its declared length throws ``TransportError/connectionLost(received:expected:)``.
/// - At most a few hundred kilobytes of a body are buffered while it is not read.
/// - Cancelling the calling task, or releasing the response, ends the transfer and frees its resources.
/// - Requests may be sent concurrently from several tasks.
public protocol Transport: Sendable {
  /// Sends a request and returns once the head of its response has been received.
  func response(to request: TransportRequest) async throws -> TransportResponse

  /// The policy that every connection of this transport is checked against.
  ///
  /// Constant. Pipelines whose transports have different policies share no cached images: an image that one policy
  /// refuses is not served because it was loaded under another. A transport that wraps another one returns its policy.
  /// Default: ``AddressPolicy/any``, no connection is refused.
  var addressPolicy: AddressPolicy { get }
}

extension Transport {
  /// No connection is refused.
  public var addressPolicy: AddressPolicy { .any }
}

/// A transport with transfers that can be prepared before they are started, synchronously and from any thread.
///
/// A load that waits for a connection prepares its transfer and waits for the response. When another transfer ends, the
/// thread on which it ends starts the next one, without scheduling a task in between.
package protocol PreparingTransport: Transport {
  /// Returns a transfer that has not been started.
  ///
  /// - Parameter onEnd: Called once, when the transfer no longer uses a connection: all bytes were received, or it
  ///   failed or was cancelled, even before its start. It gets the head, if one was received. Called on any thread,
  ///   without locks held.
  func prepare(
    _ request: TransportRequest, onEnd: @escaping @Sendable (TransportHead?) -> Void
  ) -> any PreparedTransfer
}

/// The head of a response.
package struct TransportHead: Sendable {
  package var status: Int
  package var headers: HTTPHeaders

  package init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}

/// A transfer of a ``PreparingTransport``.
package protocol PreparedTransfer: Sendable {
  /// Sends the request, unless the transfer was cancelled.
  func begin()

  /// Cancels the transfer.
  func cancel()

  /// The head of the response, once received. Called once; cancelling the calling task cancels the transfer.
  func response() async throws -> TransportResponse
}
