/// When the phases of a transfer ended, each measured from its start.
///
/// On a reused connection the phases before the first byte are zero.
public struct TransportTimings: Hashable, Sendable {
  /// The end of name resolution; zero on a reused connection.
  public var nameLookup: Duration
  /// When the connection was established; zero on a reused connection.
  public var connect: Duration
  /// The end of the TLS handshake; zero without TLS and on a reused connection.
  public var secureConnect: Duration
  /// When the first byte of the response was received.
  public var firstByte: Duration
  /// The end of the transfer.
  public var total: Duration
  /// The version of HTTP, for example `1.1` or `2`.
  public var httpVersion: String
  /// Whether the connection had been used by an earlier transfer.
  public var reusedConnection: Bool
  /// The bytes of the body received over the network, before decompression.
  public var receivedByteCount: Int

  /// Creates timings.
  public init(
    nameLookup: Duration, connect: Duration, secureConnect: Duration, firstByte: Duration, total: Duration,
    httpVersion: String, reusedConnection: Bool, receivedByteCount: Int = 0
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnect = secureConnect
    self.firstByte = firstByte
    self.total = total
    self.httpVersion = httpVersion
    self.reusedConnection = reusedConnection
    self.receivedByteCount = receivedByteCount
  }
}
